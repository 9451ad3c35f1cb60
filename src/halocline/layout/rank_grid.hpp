#pragma once

#include <array>
#include <cstddef>

#include "halocline/layout/box.hpp"

namespace halocline::layout {

/// Ranks on a grid, counted along its first dimension first. Unused dimensions have the extent 1.
struct RankGrid {
  using Place = std::array<int, max_dimensions>;

  Place extent{1, 1, 1, 1};

  constexpr int size() const {
    int product = 1;
    for (const int along : extent) {
      product *= along;
    }
    return product;
  }

  constexpr Place place(int rank) const {
    Place place{};
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      place[dimension] = rank % extent[dimension];
      rank /= extent[dimension];
    }
    return place;
  }

  constexpr int rank(const Place& place) const {
    int rank = 0;
    for (std::size_t dimension = max_dimensions; dimension-- > 0;) {
      rank = rank * extent[dimension] + place[dimension];
    }
    return rank;
  }

  /// The rank this many steps away along a dimension; the grid is periodic.
  constexpr int neighbour(int rank_of, std::size_t dimension, int steps) const {
    Place there = place(rank_of);
    const int along = extent[dimension];
    there[dimension] = ((there[dimension] + steps) % along + along) % along;
    return rank(there);
  }

  friend constexpr bool operator==(const RankGrid&, const RankGrid&) = default;
};

/// All ranks on a two-dimensional grid as near to a square as their number allows, the first
/// dimension no shorter than the second.
constexpr RankGrid near_square(int ranks) {
  int shorter = 1;
  for (int candidate = 1; candidate <= ranks / candidate; ++candidate) {
    if (ranks % candidate == 0) {
      shorter = candidate;
    }
  }
  return {{ranks / shorter, shorter, 1, 1}};
}

}  // namespace halocline::layout
