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

/// Values at all levels of a block with its ghost cells, or at one level.
using OceanField = LargeVector<double>;

/// Thickness of each level in m: about 10 m at the surface with 40 levels or more, growing
/// downward, 5500 m in total, which is the deepest sea. Multiples of 1/8 m, so that depths are
/// exact in single precision.
std::vector<double> level_thickness_m(layout::Index levels);

/// ocean_depth_m() rounded to whole levels, at least one in the ocean.
LargeVector<float> depth_in_levels_m(const OceanMask& mask, const DisplacedPoleGrid& grid,
                                     std::span<const double> thickness_m);

/// A block of the ocean's grid with two rings of ghost cells: its memory layout, the size of its
/// cells, and which of them are ocean at each level.
///
/// B grid: tracers and volumes are at cell centres, velocities at corners. The corner north-east of
/// cell (i, j) has the same indices. A corner is ocean if all four cells around it are.
struct OceanBlock {
  static constexpr layout::Index ghosts = 2;

  /// `depth_m` covers the whole grid, row by row, in whole levels.
  OceanBlock(const DisplacedPoleGrid& grid, std::span<const float> depth_m,
             std::vector<double> level_thicknesses_m, const layout::Box& own);

  layout::Box box;  // without ghost cells
  layout::Index levels;
  std::ptrdiff_t stride;  // from a cell to its northern neighbour
  std::ptrdiff_t plane;   // and to the cell below
  std::vector<double> thickness_m;

  // At cell centres.
  std::vector<std::int32_t> cell_levels;  // number of ocean levels; 0 on land
  std::vector<double> area_m2;
  std::vector<double> per_area;     // 1/m²
  std::vector<double> east_ratio;   // length of the eastern side over the distance across it
  std::vector<double> north_ratio;  // same for the northern side
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
  std::vector<double> north_wind_m2_s2;  // along the second; 0 at first

  std::int64_t ocean_cells = 0;    // own cells, over all levels
  std::int64_t ocean_corners = 0;  // own corners, over all levels

  /// Index of a cell within a level. Indices of ghost cells lie below and beyond the box.
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
  /// The field as halo exchanges take it: two rings, all levels.
  bundle::Field halo_field(OceanField& field) const;
  /// A single level, likewise.
  bundle::Field halo_level(std::vector<double>& field) const;

 private:
  bundle::Field halo_of(double* numbers, layout::Index level_count) const;
};

}  // namespace halocline::numerics
