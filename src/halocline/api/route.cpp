#include <algorithm>
#include <span>
#include <utility>

#include "halocline/api/calls.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/objects.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::api {
namespace {

using Layouts = std::pair<std::shared_ptr<Layout>, std::shared_ptr<Layout>>;

/// Collective: the objects, when all ranks bring what a route is made of.
Layouts agreed_layouts(const mpi::Communicator& communicator, halocline_layout source,
                       halocline_layout destination, const halocline_route* route) {
  Layouts layouts;
  mpi::agreed(communicator, [&] {
    require_given(route, "the address for the new route");
    layouts = {object_of<Layout>(source), object_of<Layout>(destination)};
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

void put(route::Route boxes, int rank, int ranks, halocline_route* route) {
  auto object = std::make_shared<Route>(Route{std::move(boxes), rank, ranks});
  Handles<Route>::all().put(std::move(object), route);
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
    api::put(route::redistribution(from->blocks, to->blocks, ranks), ranks.rank(), ranks.size(),
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
    api::put(route::redistribution(from->blocks, to->blocks, ranks, region), ranks.rank(),
             ranks.size(), route);
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
