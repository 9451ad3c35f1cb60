#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "halocline/layout/blocks.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::test {

using layout::Blocks;
using layout::Box;
using layout::Index;
using layout::Interval;

enum class Cut { even, at, cyclic };

/// How one side cuts one dimension. The region that moves is `before` its first index on.
struct CutDimension {
  Cut cut = Cut::even;
  int parts = 1;
  Index block = 1;           // of cyclic
  std::vector<Index> inner;  // of at: parts - 1 offsets, cut to the length of the dimension
  Index lower = 0;
  Index before = 0;
  Index after = 0;
};

/// One side: its dimensions, and who owns the blocks.
struct Side {
  std::vector<CutDimension> dimensions;
  int first_rank = 0;
  std::uint64_t owners_seed = 0;  // 0: in order from the first rank on

  int places() const;
};

/// Two layouts and the region that moves from one to the other, in numbers that can be made smaller
/// one by one and still say a pair of layouts.
struct LayoutPair {
  std::uint64_t seed = 0;      // what it was drawn with
  std::vector<Index> extents;  // of the region
  Side source;
  Side destination;
  int owners = 1;  // ranks among which the tables of owners choose

  Blocks source_layout() const;
  Blocks destination_layout() const;
  route::Region region() const;
  /// Whether the region is the whole of both grids, with the same indices.
  bool whole() const;
  /// Ranks enough for both sides.
  int ranks() const;
  std::string text() const;
};

/// A pair of at most so many ranks, grids of 1 to 4 dimensions with at most a few hundred points.
LayoutPair random_pair(std::uint64_t seed, int most_ranks);

/// Pairs that are a little simpler than this one, the boldest first.
std::vector<LayoutPair> simpler(const LayoutPair& pair);

/// A pair that still fails and of which nothing simpler fails.
LayoutPair shrunk(LayoutPair failing, const std::function<bool(const LayoutPair&)>& fails);

/// Which place owns an index of a dimension and where the place keeps it, by walking all indices.
struct Home {
  int place;
  Index local;
};
std::vector<Home> homes(const CutDimension& dimension, Index extent);

/// Calls check with so many random pairs, or fewer (drawn_at_random()); where its answer is not
/// empty, returns what is wrong with the simplest pair that fails, and its seed.
std::string first_problem(std::uint64_t first_seed, int pairs, int most_ranks,
                          const std::function<std::string(const LayoutPair&)>& check);

}  // namespace halocline::test
