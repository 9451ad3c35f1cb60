#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/layout/blocks.hpp"

namespace halocline::numerics {

/// Numbers on a rank's blocks, each with a ring of ghost cells, one block after the other.
using BlockVector = LargeVector<double>;

/// Cells of a row that follow one another in memory.
struct Run {
  std::size_t at;        // in a BlockVector
  layout::Index column;  // of the first, in its block
  layout::Index length;
};

/// Up to sixteen rows of a block, the first a multiple of sixteen of the grid's: what is summed in
/// them is the same wherever blocks begin, if they begin at such rows too.
struct Strip {
  layout::Index first_column;  // that a run has, rounded down to a multiple of columns_in_unit
  layout::Index end_column;    // behind the last that a run has
  std::ptrdiff_t row_stride;   // from a cell to the one north of it
  std::span<const Run> runs;
};

inline constexpr layout::Index strip_rows = 16;
inline constexpr layout::Index columns_in_unit = 8;

/// How a rank's blocks lie in memory, and which cells are computed: those of ocean. A few cells of
/// land between them are among the runs; numbers there must be zero.
class BlockFields {
 public:
  BlockFields(const layout::Blocks& blocks, int rank,
              const std::function<bool(layout::Index, layout::Index)>& ocean);
  ~BlockFields() = default;
  BlockFields(const BlockFields&) = delete;
  BlockFields& operator=(const BlockFields&) = delete;

  const layout::Blocks& blocks() const { return blocks_; }
  const std::vector<layout::Part>& parts() const { return parts_; }
  std::span<const Strip> strips() const { return strips_; }
  layout::Index widest() const { return widest_; }
  bool ocean(layout::Index column, layout::Index row) const { return ocean_(column, row); }
  std::int64_t ocean_cells() const { return ocean_cells_; }
  /// Whether blocks begin at rows and columns such that sums can be reproducible.
  bool reproducible() const { return reproducible_; }

  BlockVector zeros() const {
    BlockVector vector;
    vector.resize(size_, 0.0);
    return vector;
  }
  /// Where a cell of the grid lies, which is in the part or in its ring.
  std::size_t at(std::size_t part, layout::Index column, layout::Index row) const {
    const layout::Box& box = parts_[part].local;
    return begins_[part] + static_cast<std::size_t>((row - box.lower[1] + 1) * strides_[part] +
                                                    column - box.lower[0] + ghosts_before);
  }
  /// Zeroes the ring around each block.
  void clear_ghosts(BlockVector& vector) const;
  /// The same memory, as halos take it.
  bundle::Blocks bundles(BlockVector& vector) const;

 private:
  static constexpr layout::Index ghosts_before = 8;  // rows begin at lines of the cache

  layout::Blocks blocks_;
  std::function<bool(layout::Index, layout::Index)> ocean_;
  std::vector<layout::Part> parts_;
  std::vector<std::size_t> begins_;
  std::vector<layout::Index> strides_;
  std::size_t size_ = 0;
  std::vector<Run> runs_;
  std::vector<Strip> strips_;
  layout::Index widest_ = 0;
  std::int64_t ocean_cells_ = 0;
  bool reproducible_ = true;
};

}  // namespace halocline::numerics
