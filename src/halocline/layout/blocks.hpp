#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "halocline/layout/box.hpp"
#include "halocline/layout/cuts.hpp"
#include "halocline/layout/rank_grid.hpp"

namespace halocline::layout {

/// The owner of a block that belongs to no rank: land in an ocean's grid.
inline constexpr int nobody = -1;

/// The block of a place on the grid of parts.
struct Part {
  int place;  // counted along the first dimension first
  Box local;  // in local indices: those of the grid, unless the block consists of several intervals
};

/// A grid of one to four dimensions, cut along each into parts; the blocks belong to ranks.
///
/// A rank may own several blocks, each in its own memory, or none. By default place p belongs to
/// rank p, places counted along the first dimension first: the block (x, y) of a grid of parts
/// belongs to rank x + y × parts in x.
class Blocks {
 public:
  /// Missing dimensions have one index, 0.
  explicit Blocks(std::vector<Cuts> cuts, int first_rank = 0);
  /// Place p belongs to owners[p], a rank or nobody. Throws Error unless there is one for each
  /// place.
  Blocks(std::vector<Cuts> cuts, std::vector<int> owners);

  const Cuts& cuts(std::size_t dimension) const { return cuts_[dimension]; }
  const RankGrid& parts() const { return parts_; }
  int places() const { return parts_.size(); }
  Box global() const;

  int owner(int place) const {
    return owners_.empty() ? first_rank_ + place : owners_[static_cast<std::size_t>(place)];
  }
  /// Ranks 0 ≤ rank < ranks() may own blocks.
  int ranks() const { return ranks_; }

  /// The blocks of a rank, in order of place, empty ones included.
  std::vector<Part> owned(int rank) const;
  /// The places of a rank, in order.
  std::vector<int> places_of(int rank) const;
  Box local(int place) const;

  /// The same blocks with the dimensions reordered: dimension d of the result is dimension order[d]
  /// of this. Throws Error unless each is named once.
  Blocks permuted(const std::array<std::size_t, max_dimensions>& order) const;
  /// The same blocks with other owners, one for each place.
  Blocks owned_by(std::vector<int> owners) const;

  /// Equal for the same layout on all ranks, different where layouts differ.
  std::uint64_t identity() const;

  friend bool operator==(const Blocks&, const Blocks&) = default;

 private:
  void require_owners() const;

  std::vector<Cuts> cuts_;  // max_dimensions
  RankGrid parts_;
  int first_rank_ = 0;
  std::vector<int> owners_;           // of each place; empty: in order
  std::vector<int> places_by_owner_;  // with owners_
  int ranks_ = 0;
};

}  // namespace halocline::layout
