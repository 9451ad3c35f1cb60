#pragma once

#include <vector>

#include "halocline/layout/box.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/ocean_mask.hpp"
#include "halocline/numerics/spectral_grid.hpp"

namespace halocline::coupling {

inline constexpr layout::Index no_sea = -1;

/// The intersection of a column of air with a cell of the sea, or with land.
struct Piece {
  layout::Index column;  // of air
  layout::Index cell;    // of sea, counted along the rows of the ocean's grid; no_sea on land
  double area_m2;
};

/// The Earth's surface cut along the grids of the air and the sea.
///
/// Each cell of the ocean's grid is cut into subcells, each in the column of air that contains its
/// centre. A column's area is divided among its subcells, so that its pieces add up to it to
/// rounding: what leaves one side by pieces arrives at the other. Columns without subcells, near
/// the poles of the ocean's grid, are land.
class ExchangeGrid {
 public:
  ExchangeGrid(const numerics::SpectralGrid& air, const numerics::DisplacedPoleGrid& sea,
               const numerics::OceanMask& mask);

  /// First those with sea, by cell and column; then those on land, by column.
  const std::vector<Piece>& pieces() const { return pieces_; }
  layout::Index sea_pieces() const { return sea_pieces_; }
  layout::Index count() const { return static_cast<layout::Index>(pieces_.size()); }

  /// The index of each sea cell in the ocean's grid, row by row; and the inverse, no_sea on land.
  const std::vector<layout::Index>& sea_cells() const { return sea_cells_; }
  const std::vector<layout::Index>& sea_numbers() const { return sea_numbers_; }
  /// Of columns of air; they add up to the sphere.
  const std::vector<double>& column_areas_m2() const { return column_areas_m2_; }
  /// For each piece of land, the cell of the sea that its rivers flow to.
  const std::vector<layout::Index>& outlets() const { return outlets_; }

 private:
  void find_outlets(const numerics::SpectralGrid& air);

  std::vector<Piece> pieces_;
  layout::Index sea_pieces_ = 0;
  std::vector<layout::Index> sea_cells_;
  std::vector<layout::Index> sea_numbers_;
  std::vector<double> column_areas_m2_;
  std::vector<layout::Index> outlets_;
};

}  // namespace halocline::coupling
