#pragma once

#include <vector>

#include "halocline/layout/rank_grid.hpp"
#include "halocline/route/route.hpp"

namespace halocline::route {

/// Two ranks that exchange messages.
struct Pair {
  int first;
  int second;

  friend bool operator==(const Pair&, const Pair&) = default;
};

/// The part of `rank` in a route that carries `box` from rank `source` to rank `destination`.
Route one_way(int rank, int source, int destination, const layout::Box& box);

/// The part of `rank` in a route on which the two ranks swap `box`.
Route both_ways(int rank, int one, int other, const layout::Box& box);

/// Pairs each rank of the lower half with its counterpart in the upper half.
std::vector<Pair> across_halves(int ranks);

/// The pairs of ranks that are `stride` apart along one dimension of the grid, on the line through
/// rank 0 and starting there, no rank in two of them: with stride 2 places 0-2, 1-3, 4-6, …
std::vector<Pair> along(const layout::RankGrid& grid, std::size_t dimension, int stride);

}  // namespace halocline::route
