#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/layout/blocks.hpp"

namespace halocline::numerics {

/// Values on a rank's blocks, one block after another, each with a ring of ghost cells.
using BlockVector = LargeVector<double>;

/// Cells of a row that are contiguous in memory.
struct Run {
  std::size_t at;        // index in a BlockVector
  layout::Index column;  // of the first cell, within its block
  layout::Index length;
};

/// Up to sixteen rows of a block, starting at a multiple of sixteen of the grid's rows. Sums over a
/// strip do not depend on where blocks begin, as long as they also begin at such rows.
struct Strip {
  layout::Index first_column;  // lowest of any run, rounded down to a multiple of columns_in_unit
  layout::Index end_column;    // one past the last of any run
  std::ptrdiff_t row_stride;   // from a cell to its northern neighbour
  std::span<const Run> runs;
};

inline constexpr layout::Index strip_rows = 16;
inline constexpr layout::Index columns_in_unit = 8;

/// Whether blocks begin at rows and columns that allow reproducible sums.
bool allow_reproducible_sums(const layout::Blocks& blocks);

/// Memory layout of a rank's blocks, and the cells to compute, those of ocean. Runs include a few
/// land cells in between; values there must be zero.
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

  BlockVector zeros() const {
    BlockVector vector;
    vector.resize(size_, 0.0);
    return vector;
  }
  /// Index of a grid cell that lies in the part or in its ghost ring.
  std::size_t at(std::size_t part, layout::Index column, layout::Index row) const {
    const layout::Box& box = parts_[part].local;
    return begins_[part] + static_cast<std::size_t>((row - box.lower[1] + 1) * strides_[part] +
                                                    column - box.lower[0] + ghosts_before);
  }
  /// Zeroes the ghost ring of each block.
  void clear_ghosts(BlockVector& vector) const;
  /// The vector's memory, as halo exchanges take it.
  bundle::Blocks bundles(BlockVector& vector) const;

 private:
  static constexpr layout::Index ghosts_before = 8;  // rows begin at cache lines

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
};

}  // namespace halocline::numerics
