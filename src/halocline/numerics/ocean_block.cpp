#include "halocline/numerics/ocean_block.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/ocean_depth.hpp"

namespace halocline::numerics {
namespace {

using layout::Box;
using layout::Index;

constexpr double deepest_m = 5500;
constexpr double surface_thickness_m = 10;
constexpr double thickness_step_m = 0.125;
constexpr double strongest_wind_m2_s2 = 1e-4;  // 0.1 N/m² over 1000 kg/m³

/// Trades at 15 degrees, westerlies at 45, along the grid's rows.
double stress_m2_s2(double latitude) {
  return -strongest_wind_m2_s2 * std::sin(6 * std::abs(latitude)) * std::cos(latitude);
}

}  // namespace

std::vector<double> level_thickness_m(Index levels) {
  std::vector<double> thickness(static_cast<std::size_t>(levels));
  const double equal = deepest_m / static_cast<double>(levels);
  const double first = std::min(equal, surface_thickness_m);
  double used = 0;
  for (std::size_t k = 0; k < thickness.size(); ++k) {
    // Grows with the square of the level, and ends at the deepest sea.
    const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(levels);
    const double wanted = first + 3 * (equal - first) * share * share;
    thickness[k] = std::round(wanted / thickness_step_m) * thickness_step_m;
    used += thickness[k];
  }
  thickness.back() += deepest_m - used;
  return thickness;
}

LargeVector<float> depth_in_levels_m(const OceanMask& mask, const DisplacedPoleGrid& grid,
                                     std::span<const double> thickness_m) {
  LargeVector<float> depth_m = ocean_depth_m(mask, grid);
  for (float& depth : depth_m) {
    if (depth == 0) {
      continue;
    }
    double bottom = thickness_m[0];
    for (std::size_t k = 1; k < thickness_m.size(); ++k) {
      if (bottom + thickness_m[k] / 2 > static_cast<double>(depth)) {
        break;
      }
      bottom += thickness_m[k];
    }
    depth = static_cast<float>(bottom);
  }
  return depth_m;
}

OceanBlock::OceanBlock(const DisplacedPoleGrid& grid, std::span<const float> depth_m,
                       std::vector<double> level_thicknesses_m, const Box& own)
    : box(own),
      levels(static_cast<Index>(level_thicknesses_m.size())),
      stride(own.extent(0) + 2 * ghosts),
      plane(stride * (own.extent(1) + 2 * ghosts)),
      thickness_m(std::move(level_thicknesses_m)) {
  const auto cells = static_cast<std::size_t>(plane);
  cell_levels.resize(cells);
  corner_levels.resize(cells);
  for (auto* const numbers :
       {&area_m2, &per_area, &east_ratio, &north_ratio, &width_m, &height_m, &per_width,
        &per_height, &curvature_x, &curvature_y, &coriolis, &wind_m2_s2, &north_wind_m2_s2}) {
    numbers->resize(cells);
  }
  const auto around = [&grid](Index i) {
    return (i % grid.columns() + grid.columns()) % grid.columns();
  };
  const auto levels_at = [&](Index i, Index j) -> std::int32_t {
    if (j < 0 || j >= grid.rows()) {
      return 0;
    }
    const auto depth =
        static_cast<double>(depth_m[static_cast<std::size_t>(j * grid.columns() + around(i))]);
    std::int32_t found = 0;
    for (double bottom = 0; found < levels && bottom < depth; ++found) {
      bottom += thickness_m[static_cast<std::size_t>(found)];
    }
    return found;
  };
  const auto spacing = [&](Index i, Index j, double half_x, double half_y) {
    return grid.spacing(static_cast<double>(around(i)) + half_x, static_cast<double>(j) + half_y);
  };
  const Box with_ghosts = own.widened(0, ghosts).widened(1, ghosts);
  for (Index j = with_ghosts.lower[1]; j < with_ghosts.upper[1]; ++j) {
    for (Index i = with_ghosts.lower[0]; i < with_ghosts.upper[0]; ++i) {
      const std::size_t here = at(i, j);
      cell_levels[here] = levels_at(i, j);
      corner_levels[here] = std::min(
          {levels_at(i, j), levels_at(i + 1, j), levels_at(i, j + 1), levels_at(i + 1, j + 1)});
      // Everything beyond the grid is land, but no length may be 0.
      const Index row = std::clamp<Index>(j, 0, grid.rows() - 1);
      const Spacing centre = spacing(i, row, 0, 0);
      const Spacing east = spacing(i, row, 0.5, 0);
      const Spacing north = spacing(i, row, 0, 0.5);
      const Spacing corner = spacing(i, row, 0.5, 0.5);
      area_m2[here] = centre.x_m * centre.y_m;
      per_area[here] = 1 / area_m2[here];
      east_ratio[here] = east.y_m / east.x_m;
      north_ratio[here] = north.x_m / north.y_m;
      width_m[here] = corner.x_m;
      height_m[here] = corner.y_m;
      per_width[here] = 1 / corner.x_m;
      per_height[here] = 1 / corner.y_m;
      const double corner_area_m2 = corner.x_m * corner.y_m;
      curvature_x[here] =
          (spacing(i, row, 1, 0.5).y_m - spacing(i, row, 0, 0.5).y_m) / corner_area_m2;
      curvature_y[here] =
          (spacing(i, row, 0.5, 1).x_m - spacing(i, row, 0.5, 0).x_m) / corner_area_m2;
      const double latitude =
          grid.position(static_cast<double>(around(i)) + 0.5, static_cast<double>(row) + 0.5)
              .latitude;
      coriolis[here] = 2 * earth::rotation_per_s * std::sin(latitude);
      wind_m2_s2[here] = stress_m2_s2(latitude);
      if (own.lower[0] <= i && i < own.upper[0] && own.lower[1] <= j && j < own.upper[1]) {
        ocean_cells += cell_levels[here];
        ocean_corners += corner_levels[here];
      }
    }
  }
}

bundle::Field OceanBlock::halo_field(OceanField& field) const {
  return halo_of(field.data(), levels);
}

bundle::Field OceanBlock::halo_level(std::vector<double>& field) const {
  return halo_of(field.data(), 1);
}

bundle::Field OceanBlock::halo_of(double* numbers, Index level_count) const {
  const Box extent = box.widened(0, ghosts).widened(1, ghosts).with(2, 0, level_count);
  const auto step = static_cast<std::ptrdiff_t>(sizeof(double));
  return {.data = reinterpret_cast<std::byte*>(numbers + at(extent.lower[0], extent.lower[1])),
          .element_bytes = sizeof(double),
          .extent = extent,
          .stride_bytes = {step, stride * step, plane * step, plane * step * level_count}};
}

}  // namespace halocline::numerics
