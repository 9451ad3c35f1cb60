#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "halocline/layout/box.hpp"

namespace halocline::numerics {

/// Which cells of a grid are ocean, row by row from the south, the first dimension first.
///
/// Rows are rings: the first and last columns are neighbours. Beyond the first and last rows all is
/// land.
class OceanMask {
 public:
  /// Throws Error unless there is one flag a cell and any of them is ocean.
  OceanMask(layout::Index columns, layout::Index rows, std::vector<std::uint8_t> ocean);

  layout::Index columns() const { return columns_; }
  layout::Index rows() const { return rows_; }
  /// Any column, counted around the ring; any row.
  bool ocean(layout::Index column, layout::Index row) const {
    if (row < 0 || row >= rows_) {
      return false;
    }
    const layout::Index around = (column % columns_ + columns_) % columns_;
    return ocean_[static_cast<std::size_t>(row * columns_ + around)] != 0;
  }
  /// Ocean cells in a box of the grid.
  std::int64_t count(const layout::Box& box) const;
  /// Of cells so many times as long and wide, ocean where more than half of their cells are. Throws
  /// Error where these do not make up whole ones.
  OceanMask coarser(layout::Index factor) const;

  /// The true coasts on the displaced-pole grid "x1" or "tenth". The cells' centres decide;
  /// enclosed seas are land. From NOAA's GLOBE elevations; tools/write_ocean_masks.py says how.
  static OceanMask of_earth(std::string_view grid);

 private:
  layout::Index columns_;
  layout::Index rows_;
  std::vector<std::uint8_t> ocean_;
};

}  // namespace halocline::numerics
