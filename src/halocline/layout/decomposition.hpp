#pragma once

#include <algorithm>

#include "halocline/layout/box.hpp"
#include "halocline/layout/rank_grid.hpp"

namespace halocline::layout {

/// A box cut into one block for each rank of a grid. Blocks of a dimension differ by at most one
/// index, the longer ones first.
struct Decomposition {
  Box global;
  RankGrid grid;

  constexpr Box owned(int rank) const {
    const RankGrid::Place place = grid.place(rank);
    Box block = global;
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      block = block.with(dimension, begin_of(dimension, place[dimension]),
                         begin_of(dimension, place[dimension] + 1));
    }
    return block;
  }

  /// Indices that the shortest block has in a dimension.
  constexpr Index shortest(std::size_t dimension) const {
    return global.extent(dimension) / grid.extent[dimension];
  }

 private:
  constexpr Index begin_of(std::size_t dimension, int part) const {
    const Index longer = global.extent(dimension) % grid.extent[dimension];
    return global.lower[dimension] + part * shortest(dimension) + std::min<Index>(part, longer);
  }
};

}  // namespace halocline::layout
