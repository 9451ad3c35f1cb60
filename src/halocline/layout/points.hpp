#pragma once

#include <span>
#include <vector>

#include "halocline/layout/blocks.hpp"
#include "halocline/layout/box.hpp"

namespace halocline::layout {

/// The numbered points of a rank, in any order, and their places in its memory.
///
/// A point has a position among those of its rank. Positions are consecutive where the points are
/// neighbours along the first dimension; between two rows of blocks one is left out.
class Points {
 public:
  /// A list: the k-th number is the point at index k of the first dimension. Each point carries the
  /// indices that `each` has in the other dimensions: its levels, say.
  /// Messages about numbers and positions count from `messages_from`.
  explicit Points(std::span<const Index> numbers, const Box& each = Box{}, Index messages_from = 0);

  /// What a rank owns of a layout, its points numbered from 0 over the grid's first dimensions, the
  /// first one fastest. Each point carries the other dimensions whole. Throws Error for a layout
  /// that cuts these.
  static Points of(const Blocks& blocks, int rank, std::size_t numbered = max_dimensions);

  /// Consecutive numbers at consecutive positions.
  struct Run {
    Index number;
    Index position;
    Index length;
  };
  /// All points, in the longest possible runs, in order of position.
  const std::vector<Run>& runs() const { return runs_; }

  /// Where points at consecutive positions lie, and in which of the rank's blocks.
  struct Place {
    Box box;
    int part;
  };
  Place place(Index position, Index length) const;

  Index messages_from() const { return messages_from_; }

  /// What each point carries; its indices in the first dimension have no meaning.
  const Box& each() const { return each_; }

 private:
  /// Neighbouring points along the first dimension.
  struct Row {
    Index position;
    Box first;  // the box of its first point
    int part;
  };

  Points() = default;
  void add_block(const Blocks& blocks, int place, int part, std::size_t numbered);
  void add(Index number, Index position, Index length);
  Index end() const { return runs_.empty() ? 0 : runs_.back().position + runs_.back().length; }

  Index messages_from_ = 0;
  Box each_;
  std::vector<Row> rows_;  // in order of position
  std::vector<Run> runs_;
};

}  // namespace halocline::layout
