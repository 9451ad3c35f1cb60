#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "halocline/api/calls.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/objects.hpp"
#include "halocline/base/identity.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/route/block_halo.hpp"
#include "halocline/route/description.hpp"
#include "halocline/route/lists.hpp"
#include "halocline/route/redistribution.hpp"
#include "halocline/route/route_file.hpp"

namespace halocline::api {
namespace {

using Layouts = std::pair<std::shared_ptr<Layout>, std::shared_ptr<Layout>>;

/// Collective: the layouts, if all ranks pass valid arguments.
Layouts agreed_layouts(const mpi::Communicator& communicator, halocline_layout source,
                       halocline_layout destination, const halocline_route* route,
                       bool of_points = false) {
  Layouts layouts;
  mpi::agreed(communicator, [&] {
    require_given(route, "the address for the new route");
    layouts = {object_of<Layout>(source), object_of<Layout>(destination)};
    if (!of_points) {
      layouts.first->only_blocks();
      layouts.second->only_blocks();
    }
  });
  return layouts;
}

layout::Box box_of(const int64_t* lower, const int64_t* upper) {
  require_given(lower, "the region's lower bounds");
  require_given(upper, "the region's upper bounds");
  layout::Box box;
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    box = box.with(dimension, lower[dimension], upper[dimension]);
  }
  return box;
}

route::Halo halo_of(const halocline_halo* given) {
  require_given(given, "the halo");
  route::Halo halo{.corners = given->faces_only == 0};
  std::ranges::copy(given->below, halo.below.begin());
  std::ranges::copy(given->above, halo.above.begin());
  std::ranges::transform(given->periodic, halo.periodic.begin(),
                         [](int periodic) { return periodic != 0; });
  if (given->folded != 0) {
    halo.fold = {.shift = given->fold_shift, .skipped = given->fold_skipped};
  }
  return halo;
}

void put(route::Route boxes, int rank, int ranks, halocline_route* route) {
  auto object = std::make_shared<Route>(Route{std::move(boxes), rank, ranks});
  Handles<Route>::all().put(std::move(object), route);
}

layout::Points points_of(const Layout& layout, const char* side,
                         const mpi::Communicator& communicator, int numbered) {
  if (numbered < 1 || numbered > HALOCLINE_DIMENSIONS) {
    throw Error(
        "points numbered over " + std::to_string(numbered) +
        " dimensions; allowed: 1 to 4; name how many of the grid's first number its points");
  }
  if (layout.points) {
    return *layout.points;
  }
  route::require_ranks(layout.only_blocks(), side, communicator.size());
  return layout::Points::of(layout.only_blocks(), communicator.rank(),
                            static_cast<std::size_t>(numbered));
}

/// Collective: the route, if all ranks pass one that was made for them.
std::shared_ptr<Route> agreed_route(const mpi::Communicator& communicator, halocline_route route,
                                    const void* address, const char* what) {
  std::shared_ptr<Route> object;
  mpi::agreed(communicator, [&] {
    require_given(address, what);
    object = object_of<Route>(route);
    require_made_for(*object, communicator);
  });
  return object;
}

int64_t elements(std::span<const route::Leg> legs) {
  int64_t sum = 0;
  for (const route::Leg& leg : legs) {
    sum += leg.box.volume();
  }
  return sum;
}

mpi::Communicator begin(MPI_Comm communicator, halocline_route* route) {
  if (route != nullptr) {
    *route = nullptr;
  }
  require_running();
  return mpi::Communicator::duplicate_of(communicator);
}

}  // namespace
}  // namespace halocline::api

using namespace halocline;  // NOLINT: the functions are C's

extern "C" {

int halocline_route_create(halocline_layout source, halocline_layout destination,
                           MPI_Comm communicator, halocline_route* route) {
  return api::guarded([=] {
    const mpi::Communicator ranks = api::begin(communicator, route);
    const auto [from, to] = api::agreed_layouts(ranks, source, destination, route);
    api::put(route::redistribution(*from->blocks, *to->blocks, ranks), ranks.rank(), ranks.size(),
             route);
  });
}

int halocline_route_create_region(halocline_layout source, halocline_layout destination,
                                  MPI_Comm communicator, const int64_t* source_lower,
                                  const int64_t* source_upper, const int64_t* destination_lower,
                                  const int64_t* destination_upper, halocline_route* route) {
  return api::guarded([=] {
    const mpi::Communicator ranks = api::begin(communicator, route);
    const auto [from, to] = api::agreed_layouts(ranks, source, destination, route);
    route::Region region{};
    mpi::agreed(ranks, [&] {
      region = {.source = api::box_of(source_lower, source_upper),
                .destination = api::box_of(destination_lower, destination_upper)};
    });
    api::put(route::redistribution(*from->blocks, *to->blocks, ranks, region), ranks.rank(),
             ranks.size(), route);
  });
}

int halocline_route_create_points(halocline_layout source, halocline_layout destination,
                                  MPI_Comm communicator, int numbered, int unwanted_allowed,
                                  halocline_route* route) {
  return api::guarded([=] {
    const mpi::Communicator ranks = api::begin(communicator, route);
    const auto [from, to] = api::agreed_layouts(ranks, source, destination, route, true);
    Identity asked;
    asked.add(static_cast<std::uint64_t>(numbered));
    asked.add(static_cast<std::uint64_t>(unwanted_allowed != 0));
    mpi::require_same(ranks, asked.value(), "numbers of dimensions, or of unwanted_allowed");
    std::optional<layout::Points> there;
    std::optional<layout::Points> back;
    mpi::agreed(ranks, [&, from_layout = from, to_layout = to] {
      there = api::points_of(*from_layout, "source", ranks, numbered);
      back = api::points_of(*to_layout, "destination", ranks, numbered);
    });
    const auto unwanted =
        unwanted_allowed == 0 ? route::Unwanted::refused : route::Unwanted::allowed;
    api::put(route::redistribution(*there, *back, ranks, unwanted), ranks.rank(), ranks.size(),
             route);
  });
}

int halocline_route_create_halo(halocline_layout layout, const halocline_halo* halo,
                                MPI_Comm communicator, halocline_route* route) {
  return api::guarded([=] {
    const mpi::Communicator ranks = api::begin(communicator, route);
    route::Halo ghosts;
    std::shared_ptr<api::Layout> object;
    mpi::agreed(ranks, [&] {
      api::require_given(route, "the address for the new route");
      object = api::object_of<api::Layout>(layout);
      object->only_blocks();
      ghosts = api::halo_of(halo);
    });
    api::put(route::halo(*object->blocks, ghosts, ranks), ranks.rank(), ranks.size(), route);
  });
}

int halocline_route_save(halocline_route route, MPI_Comm communicator, const char* path) {
  return api::guarded([=] {
    api::require_running();
    const mpi::Communicator ranks = mpi::Communicator::duplicate_of(communicator);
    const auto object = api::agreed_route(ranks, route, path, "the path");
    route::save(object->route, path, ranks);
  });
}

int halocline_route_load(const char* path, MPI_Comm communicator, halocline_route* route) {
  return api::guarded([=] {
    const mpi::Communicator ranks = api::begin(communicator, route);
    mpi::agreed(ranks, [&] {
      api::require_given(path, "the path");
      api::require_given(route, "the address for the new route");
    });
    api::put(route::load(path, ranks), ranks.rank(), ranks.size(), route);
  });
}

int halocline_route_describe(halocline_route route, MPI_Comm communicator,
                             halocline_description* description) {
  return api::guarded([=] {
    api::require_running();
    const mpi::Communicator ranks = mpi::Communicator::duplicate_of(communicator);
    const auto object =
        api::agreed_route(ranks, route, description, "the address for the description");
    const route::Description found = route::describe(object->route, ranks);
    *description = {.ranks = found.ranks,
                    .peers_maximum = found.peers_maximum,
                    .messages = found.messages,
                    .boxes = found.boxes,
                    .indices = found.indices,
                    .indices_moved = found.indices_moved,
                    .rank_moved_maximum = found.rank_moved_maximum,
                    .imbalance = found.imbalance()};
  });
}

int halocline_route_reverse(halocline_route route, halocline_route* reversed) {
  return api::guarded([=] {
    api::require_given(reversed, "the address for the new route");
    const auto object = api::object_of<api::Route>(route);
    api::put(object->route.reversed(), object->rank, object->ranks, reversed);
  });
}

int halocline_route_size(halocline_route route, int64_t* boxes_sent, int64_t* boxes_received,
                         int64_t* elements_sent, int64_t* elements_received) {
  return api::guarded([=] {
    for (const int64_t* address : {boxes_sent, boxes_received, elements_sent, elements_received}) {
      api::require_given(address, "the address for a number");
    }
    const auto object = api::object_of<api::Route>(route);
    *boxes_sent = std::ssize(object->route.sends);
    *boxes_received = std::ssize(object->route.receives);
    *elements_sent = api::elements(object->route.sends);
    *elements_received = api::elements(object->route.receives);
  });
}

int halocline_route_free(halocline_route* route) {
  return api::guarded([=] { api::Handles<api::Route>::all().take(route); });
}
}
