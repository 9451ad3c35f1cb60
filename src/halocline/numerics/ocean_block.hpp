#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/base/units.hpp"
#include "halocline/bundle/field.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/ocean_mask.hpp"

namespace halocline::numerics {

/// Numbers at all levels of a block and its ghost cells, or at one level.
using OceanField = LargeVector<double>;

/// The thickness of each level in metres: about 10 m at the surface where levels are 40 or more,
/// growing downward, together the 5500 m of the deepest sea. Multiples of 1/8 m, so that depths are
/// exact in single precision.
std::vector<double> level_thickness_m(layout::Index levels);

/// ocean_depth_m() rounded to whole levels, one or more of them in the ocean.
LargeVector<float> depth_in_levels_m(const OceanMask& mask, const DisplacedPoleGrid& grid,
                                     std::span<const double> thickness_m);

/// A block of the ocean's grid with two rings of ghost cells: where its numbers lie, how large its
/// cells are, and which are ocean at each level.
///
/// B grid: tracers and volumes at centres of cells; velocities at corners, the one north-east of
/// cell (i, j) under the same indices. A corner is ocean where all four cells about it are.
struct OceanBlock {
  static constexpr layout::Index ghosts = 2;

  /// `depth_m` of the whole grid, row by row, in whole levels.
  OceanBlock(const DisplacedPoleGrid& grid, std::span<const float> depth_m,
             std::vector<double> level_thicknesses_m, const layout::Box& own);

  layout::Box box;  // without ghost cells
  layout::Index levels;
  std::ptrdiff_t stride;  // from a cell to the one north of it
  std::ptrdiff_t plane;   // and to the one below it
  std::vector<double> thickness_m;

  // At centres.
  std::vector<std::int32_t> cell_levels;  // ocean levels: 0 on land
  std::vector<double> area_m2;
  std::vector<double> per_area;     // 1/m²
  std::vector<double> east_ratio;   // length of the eastern side over the distance across it
  std::vector<double> north_ratio;  // and of the northern side
  // At corners.
  std::vector<std::int32_t> corner_levels;
  std::vector<double> width_m;           // along the first dimension
  std::vector<double> height_m;          // along the second
  std::vector<double> per_width;         // 1/m
  std::vector<double> per_height;        // 1/m
  std::vector<double> curvature_x;       // 1/m: of the sides' lengths, along the first dimension
  std::vector<double> curvature_y;       // 1/m: along the second
  std::vector<double> coriolis;          // 1/s
  std::vector<double> wind_m2_s2;        // stress over density, along the first dimension
  std::vector<double> north_wind_m2_s2;  // along the second: none at first

  std::int64_t ocean_cells = 0;    // own, at all levels
  std::int64_t ocean_corners = 0;  // own, at all levels

  /// Where a cell lies in a level; ghost cells have indices below and beyond the box.
  std::size_t at(layout::Index i, layout::Index j) const {
    return static_cast<std::size_t>((j - box.lower[1] + ghosts) * stride + i - box.lower[0] +
                                    ghosts);
  }
  std::size_t level(layout::Index k) const { return static_cast<std::size_t>(k * plane); }
  OceanField zeros() const {
    OceanField field;
    field.resize(static_cast<std::size_t>(plane * levels), 0.0);
    return field;
  }
  std::vector<double> level_of_zeros() const {
    return std::vector<double>(static_cast<std::size_t>(plane));
  }
  /// The field as halos take it: two rings, all levels.
  bundle::Field halo_field(OceanField& field) const;
  /// One level of its own, the same way.
  bundle::Field halo_level(std::vector<double>& field) const;

 private:
  bundle::Field halo_of(double* numbers, layout::Index level_count) const;
};

}  // namespace halocline::numerics
