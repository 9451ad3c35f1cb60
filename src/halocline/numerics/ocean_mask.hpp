#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "halocline/layout/box.hpp"

namespace halocline::numerics {

/// Which cells of a grid are ocean, row by row from the south; the first dimension varies fastest.
///
/// Rows are rings: the first and last columns are neighbours. Everything beyond the first and last
/// rows is land.
class OceanMask {
 public:
  /// Throws Error unless there is one flag per cell and at least one ocean cell.
  OceanMask(layout::Index columns, layout::Index rows, std::vector<std::uint8_t> ocean);

  layout::Index columns() const { return columns_; }
  layout::Index rows() const { return rows_; }
  /// Columns wrap around the ring; rows may be out of range.
  bool ocean(layout::Index column, layout::Index row) const {
    if (row < 0 || row >= rows_) {
      return false;
    }
    const layout::Index around = (column % columns_ + columns_) % columns_;
    return ocean_[static_cast<std::size_t>(row * columns_ + around)] != 0;
  }
  /// Number of ocean cells in a box of the grid.
  std::int64_t count(const layout::Box& box) const;
  /// Merges `factor` x `factor` cells into one, which is ocean if more than half of them are.
  /// Throws Error if the grid is not a multiple of that.
  OceanMask coarser(layout::Index factor) const;

  /// True coasts on a named displaced-pole grid. On "x1" and "tenth" cell centres decide, and
  /// enclosed seas are land; "x4" and "x8" are "x1" made coarser. From NOAA's GLOBE elevations; see
  /// tools/write_ocean_masks.py.
  static OceanMask of_earth(std::string_view grid);

 private:
  layout::Index columns_;
  layout::Index rows_;
  std::vector<std::uint8_t> ocean_;
};

}  // namespace halocline::numerics
