#include <span>
#include <utility>

#include "halocline/api/calls.hpp"
#include "halocline/api/halocline.h"
#include "halocline/api/objects.hpp"

namespace halocline::api {
namespace {

layout::Cuts cuts_of(const halocline_dimension& dimension) {
  if (dimension.points != nullptr) {
    if (dimension.parts < 1) {
      throw Error("cut points for " + std::to_string(dimension.parts) +
                  " parts; allowed: 1 or more; give the number of points less one");
    }
    return layout::Cuts::at({dimension.points, dimension.points + dimension.parts + 1});
  }
  const layout::Interval whole{.lower = dimension.lower, .upper = dimension.upper};
  return dimension.block == 0 ? layout::Cuts::even(whole, dimension.parts)
                              : layout::Cuts::cyclic(whole, dimension.block, dimension.parts);
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

layout::Part part_of(const layout::Blocks& blocks, int rank, int block) {
  const std::vector<int> places = blocks.places_of(rank);
  if (block < 0 || static_cast<std::size_t>(block) >= places.size()) {
    throw Error("block " + std::to_string(block) + " of rank " + std::to_string(rank) +
                "; allowed: 0 or more, less than its " + std::to_string(places.size()) +
                " blocks; ask halocline_layout_blocks for their number");
  }
  const int place = places[static_cast<std::size_t>(block)];
  return {.place = place, .local = blocks.local(place)};
}

void set_null(halocline_layout* layout) {
  require_given(layout, "the address for the new layout");
  *layout = nullptr;
}

}  // namespace
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
    api::put(api::object_of<api::Layout>(layout)->blocks.permuted(dimensions), permuted);
  });
}

int halocline_layout_blocks(halocline_layout layout, int rank, int* blocks) {
  return api::guarded([=] {
    api::require_given(blocks, "the address for the number of blocks");
    const auto places = api::object_of<api::Layout>(layout)->blocks.places_of(rank);
    *blocks = static_cast<int>(places.size());
  });
}

int halocline_layout_block(halocline_layout layout, int rank, int block, int64_t* lower,
                           int64_t* upper) {
  return api::guarded([=] {
    api::require_given(lower, "the address for the lower bounds");
    api::require_given(upper, "the address for the upper bounds");
    const auto object = api::object_of<api::Layout>(layout);
    const layout::Part part = api::part_of(object->blocks, rank, block);
    std::ranges::copy(part.local.lower, lower);
    std::ranges::copy(part.local.upper, upper);
  });
}

int halocline_layout_free(halocline_layout* layout) {
  return api::guarded([=] { api::Handles<api::Layout>::all().take(layout); });
}
}
