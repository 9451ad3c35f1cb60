#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "halocline/api/calls.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/objects.hpp"
#include "halocline/api/point_lists.hpp"
#include "halocline/route/relabelling.hpp"

namespace halocline::api {
namespace {

/// What Fortran hands over for blocks of 0 indices.
constexpr std::int64_t no_block = std::numeric_limits<std::int64_t>::min();

layout::Cuts cuts_of(const halocline_dimension& dimension) {
  if (dimension.points != nullptr) {
    if (dimension.parts < 1) {
      throw Error("cut points for " + std::to_string(dimension.parts) +
                  " parts; allowed: 1 or more; give the number of points less one");
    }
    return layout::Cuts::at({dimension.points, dimension.points + dimension.parts + 1});
  }
  const layout::Interval whole{.lower = dimension.lower, .upper = dimension.upper};
  if (dimension.block == 0) {
    return layout::Cuts::even(whole, dimension.parts);
  }
  const bool none = dimension.block == no_block;
  return layout::Cuts::cyclic(whole, none ? 0 : dimension.block, dimension.parts);
}

std::vector<layout::Cuts> cuts_of(int dimensions, const halocline_dimension* dimension) {
  if (dimensions < 1 || dimensions > HALOCLINE_DIMENSIONS) {
    throw Error("a layout of " + std::to_string(dimensions) +
                " dimensions; allowed: 1 to 4; join dimensions that are not cut");
  }
  require_given(dimension, "the array of dimensions");
  std::vector<layout::Cuts> cuts;
  for (const halocline_dimension& each :
       std::span(dimension, static_cast<std::size_t>(dimensions))) {
    cuts.push_back(cuts_of(each));
  }
  return cuts;
}

void put(layout::Blocks blocks, halocline_layout* layout) {
  Handles<Layout>::all().put(std::make_shared<Layout>(std::move(blocks)), layout);
}

layout::Box list_of(int64_t count, int further, const int64_t* lower, const int64_t* upper) {
  if (count < 0) {
    throw Error("a layout of " + std::to_string(count) +
                " points; allowed: 0 or more; pass how many numbers there are");
  }
  constexpr int most = HALOCLINE_DIMENSIONS - 1;
  if (further < 0 || further > most) {
    throw Error("points with " + std::to_string(further) +
                " further dimensions; allowed: 0 to 3; join some");
  }
  layout::Box box = layout::Box::line(count);
  if (further > 0) {
    require_given(lower, "the array of the further dimensions' lower bounds");
    require_given(upper, "the array of the further dimensions' upper bounds");
  }
  for (int dimension = 0; dimension < further; ++dimension) {
    if (upper[dimension] < lower[dimension]) {
      throw Error("further dimension " + std::to_string(dimension + 1) + " of points goes from " +
                  std::to_string(lower[dimension]) + " to " + std::to_string(upper[dimension]) +
                  "; the end comes before the beginning; swap them");
    }
    box = box.with(static_cast<std::size_t>(dimension) + 1, lower[dimension], upper[dimension]);
  }
  if (!box.countable()) {
    throw Error(
        "points with more than 9223372036854775807 values in total; allowed: fewer; check "
        "the further dimensions' bounds");
  }
  return box;
}

int held_blocks(const Layout& layout, int rank) {
  return layout.blocks ? static_cast<int>(layout.blocks->places_of(rank).size()) : 1;
}

layout::Box box_of(const Layout& layout, int rank, int block) {
  const int blocks = held_blocks(layout, rank);
  if (block < 0 || block >= blocks) {
    throw Error("block " + std::to_string(block) + " of rank " + std::to_string(rank) +
                "; allowed: 0 or more, less than its " + std::to_string(blocks) +
                " blocks; ask halocline_layout_blocks for their number");
  }
  if (!layout.blocks) {
    return layout.list;
  }
  const int place = layout.blocks->places_of(rank)[static_cast<std::size_t>(block)];
  return layout.blocks->local(place);
}

void set_null(halocline_layout* layout) {
  require_given(layout, "the address for the new layout");
  *layout = nullptr;
}

}  // namespace

void create_points(const PointList& list, layout::Index messages_from, halocline_layout* layout) {
  set_null(layout);
  const layout::Box box = list_of(list.count, list.further, list.lower, list.upper);
  if (list.count > 0) {
    require_given(list.numbers, "the array of the points' numbers");
  }
  layout::Points points(std::span(list.numbers, static_cast<std::size_t>(list.count)), box,
                        messages_from);
  Handles<Layout>::all().put(std::make_shared<Layout>(std::move(points), box), layout);
}

}  // namespace halocline::api

using namespace halocline;  // NOLINT: the functions are C's

extern "C" {

int halocline_layout_create(int dimensions, const halocline_dimension* dimension, int first_rank,
                            halocline_layout* layout) {
  return api::guarded([=] {
    api::set_null(layout);
    api::put(layout::Blocks(api::cuts_of(dimensions, dimension), first_rank), layout);
  });
}

int halocline_layout_create_owned(int dimensions, const halocline_dimension* dimension, int count,
                                  const int* owners, halocline_layout* layout) {
  return api::guarded([=] {
    api::set_null(layout);
    api::require_count(count, "owners");
    api::require_given(owners, "the array of owners");
    api::put(
        layout::Blocks(api::cuts_of(dimensions, dimension), std::vector(owners, owners + count)),
        layout);
  });
}

int halocline_layout_permute(halocline_layout layout, const int* order,
                             halocline_layout* permuted) {
  return api::guarded([=] {
    api::set_null(permuted);
    api::require_given(order, "the order of dimensions");
    std::array<std::size_t, layout::max_dimensions> dimensions{};
    for (std::size_t at = 0; at < dimensions.size(); ++at) {
      dimensions[at] = static_cast<std::size_t>(order[at]);
    }
    api::put(api::object_of<api::Layout>(layout)->only_blocks().permuted(dimensions), permuted);
  });
}

int halocline_layout_create_points(int64_t count, const int64_t* numbers, int further,
                                   const int64_t* lower, const int64_t* upper,
                                   halocline_layout* layout) {
  return api::guarded(
      [=] { api::create_points({count, numbers, further, lower, upper}, 0, layout); });
}

int halocline_layout_relabel(halocline_layout source, halocline_layout destination,
                             halocline_layout* relabelled, int64_t* moved_before,
                             int64_t* moved_after) {
  return api::guarded([=] {
    api::set_null(relabelled);
    api::require_given(moved_before, "the address for what moved before");
    api::require_given(moved_after, "the address for what moves after");
    const auto from = api::object_of<api::Layout>(source);
    const auto to = api::object_of<api::Layout>(destination);
    route::Relabelling found = route::relabelled(from->only_blocks(), to->only_blocks());
    *moved_before = found.moved_before;
    *moved_after = found.moved_after;
    api::put(to->only_blocks().owned_by(std::move(found.owners)), relabelled);
  });
}

int halocline_layout_owners(halocline_layout layout, int64_t blocks, int* owners) {
  return api::guarded([=] {
    api::require_given(owners, "the array for the owners");
    const auto object = api::object_of<api::Layout>(layout);
    const layout::Blocks& all = object->only_blocks();
    if (blocks != all.places()) {
      throw Error("the array has room for " + std::to_string(blocks) + " owners, the layout has " +
                  std::to_string(all.places()) + " blocks; pass one owner for each block");
    }
    for (int place = 0; place < all.places(); ++place) {
      owners[place] = all.owner(place);
    }
  });
}

int halocline_layout_blocks(halocline_layout layout, int rank, int* blocks) {
  return api::guarded([=] {
    api::require_given(blocks, "the address for the number of blocks");
    *blocks = api::held_blocks(*api::object_of<api::Layout>(layout), rank);
  });
}

int halocline_layout_block(halocline_layout layout, int rank, int block, int64_t* lower,
                           int64_t* upper) {
  return api::guarded([=] {
    api::require_given(lower, "the address for the lower bounds");
    api::require_given(upper, "the address for the upper bounds");
    const layout::Box box = api::box_of(*api::object_of<api::Layout>(layout), rank, block);
    std::ranges::copy(box.lower, lower);
    std::ranges::copy(box.upper, upper);
  });
}

int halocline_layout_free(halocline_layout* layout) {
  return api::guarded([=] { api::Handles<api::Layout>::all().take(layout); });
}
}
