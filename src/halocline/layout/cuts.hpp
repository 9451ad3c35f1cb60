#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "halocline/layout/box.hpp"

namespace halocline::layout {

/// Indices lower ≤ index < upper of one dimension.
struct Interval {
  Index lower;
  Index upper;

  constexpr Index length() const { return std::max<Index>(0, upper - lower); }
  constexpr Interval intersection(const Interval& other) const {
    return {.lower = std::max(lower, other.lower), .upper = std::min(upper, other.upper)};
  }

  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

/// An interval that a place owns, and where the place keeps it.
struct Piece {
  Interval indices;
  Index local_lower;
};

/// One dimension, cut into intervals that are distributed to places.
///
/// A place stores its indices contiguously, counted from its first index: what it owns in one
/// interval has the same local and global indices.
class Cuts {
 public:
  /// Intervals that differ by at most one index, the longer ones first. Throws Error for an empty
  /// number of parts; the other functions also throw for what they cannot cut.
  static Cuts even(Interval whole, int parts);
  /// Place p owns points[p] ≤ index < points[p + 1]; intervals may be empty.
  static Cuts at(std::vector<Index> points);
  /// Blocks of this many indices, distributed round-robin; the last block may be shorter.
  static Cuts cyclic(Interval whole, Index block, int places);

  Interval whole() const { return whole_; }
  int places() const { return places_; }

  /// Whether blocks are distributed round-robin, so a place's indices are not contiguous.
  bool dealt() const {
    const Index most = (whole_.length() + places_ - 1) / places_;
    return block_ != 0 && block_ < most;  // else each has one block at most
  }

  /// How many indices a place owns.
  Index owned(int place) const;
  /// The first index that a place owns, if any.
  Index first(int place) const;

  /// Calls visit(const Piece&) for what a place owns in an interval, in ascending order; the cost
  /// grows with the pieces visited, and with the logarithm of the places.
  template <class Visit>
  void owned_in(int place, Interval within, Visit visit) const {
    const Interval looked_at = within.intersection(whole_);
    if (looked_at.length() == 0) {
      return;
    }
    if (block_ == 0) {
      visit_part(place, looked_at, visit);
      return;
    }
    const std::int64_t first_block = block_of(looked_at.lower);
    const std::int64_t before = first_block % places_;
    for (std::int64_t block = first_block + (place - before + places_) % places_;
         begin_of_block(block) < looked_at.upper; block += places_) {
      visit_block(block, looked_at, [&visit](int, const Piece& piece) { visit(piece); });
    }
  }

  /// Calls visit(place, const Piece&) for all places that own part of the interval, in ascending
  /// order of the indices, at the same cost.
  template <class Visit>
  void owners_in(Interval within, Visit visit) const {
    const Interval looked_at = within.intersection(whole_);
    if (looked_at.length() == 0) {
      return;
    }
    if (block_ == 0) {
      for (int place = place_of(looked_at.lower);
           place < places_ && part(place).lower < looked_at.upper; ++place) {
        visit_part(place, looked_at, [&visit, place](const Piece& piece) { visit(place, piece); });
      }
      return;
    }
    for (std::int64_t block = block_of(looked_at.lower); begin_of_block(block) < looked_at.upper;
         ++block) {
      visit_block(block, looked_at, visit);
    }
  }

  friend bool operator==(const Cuts&, const Cuts&) = default;

  /// Numbers that describe the cuts, for comparison between ranks.
  std::vector<Index> description() const;

 private:
  Cuts(Interval whole, int places) : whole_(whole), places_(places) {}

  /// What a place of even() or at() owns.
  Interval part(int place) const {
    if (!points_.empty()) {
      return {.lower = points_[static_cast<std::size_t>(place)],
              .upper = points_[static_cast<std::size_t>(place) + 1]};
    }
    return {.lower = even_begin(place), .upper = even_begin(place + 1)};
  }
  Index even_begin(int place) const {
    const Index shorter = whole_.length() / places_;
    const Index longer = whole_.length() % places_;
    return whole_.lower + place * shorter + std::min<Index>(place, longer);
  }
  int place_of(Index index) const;

  std::int64_t block_of(Index index) const { return (index - whole_.lower) / block_; }
  Index begin_of_block(std::int64_t block) const { return whole_.lower + block * block_; }

  template <class Visit>
  void visit_part(int place, Interval looked_at, Visit visit) const {
    const Interval common = part(place).intersection(looked_at);
    if (common.length() > 0) {
      visit(Piece{.indices = common, .local_lower = common.lower});
    }
  }

  template <class Visit>
  void visit_block(std::int64_t block, Interval looked_at, Visit visit) const {
    const Interval whole_block{.lower = begin_of_block(block),
                               .upper = begin_of_block(block) + block_};
    const Interval common = whole_block.intersection(looked_at);
    if (common.length() > 0) {
      const auto place = static_cast<int>(block % places_);
      const Index kept_before = block / places_ * block_;
      visit(place,
            Piece{.indices = common,
                  .local_lower = first(place) + kept_before + (common.lower - whole_block.lower)});
    }
  }

  Interval whole_;
  int places_;
  Index block_ = 0;            // of cyclic()
  std::vector<Index> points_;  // of at()
};

}  // namespace halocline::layout
