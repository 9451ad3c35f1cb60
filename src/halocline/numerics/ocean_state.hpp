#pragma once

#include <cmath>

#include "halocline/numerics/ocean_model.hpp"

namespace halocline::numerics {

/// Fields of a block, and the schemes that step them.
struct OceanModel::State {
  State(const OceanBlock& block, Seconds time_step)
      : temperature(block.zeros()),
        salinity(block.zeros()),
        u(block.zeros()),
        v(block.zeros()),
        surface_m(block.level_of_zeros()),
        u_sum_m2_s(block.level_of_zeros()),
        v_sum_m2_s(block.level_of_zeros()),
        surface_m2_s2(block.level_of_zeros()),
        tracers(block, time_step),
        momentum(block, time_step) {}

  OceanField temperature;
  OceanField salinity;
  OceanField u;
  OceanField v;
  std::vector<double> surface_m;
  std::vector<double> u_sum_m2_s;
  std::vector<double> v_sum_m2_s;
  std::vector<double> surface_m2_s2;
  OceanTracers tracers;
  OceanMomentum momentum;
};

/// Values at a point in the state that a seed defines.
struct Water {
  double temperature;
  double salinity;
  double u_m_s;
  double v_m_s;
};

/// Surface values at a place, above those of the abyss.
inline Water surface_water(const Position& place, std::uint64_t seed) {
  constexpr double warmest = 20;
  constexpr double swiftest_m_s = 0.02;
  const auto waves = static_cast<double>(2 + seed % 5);
  const auto phase = static_cast<double>(seed % 11);
  const double wave = std::sin(waves * place.longitude + phase) * std::cos(3 * place.latitude);
  return {.temperature = warmest * std::pow(std::cos(place.latitude), 2) + wave,
          .salinity = wave / 4,
          .u_m_s = swiftest_m_s * std::sin(2 * place.latitude + phase),
          .v_m_s = swiftest_m_s * std::cos(waves * place.longitude)};
}

inline Water water_at(const Water& surface, double share) {
  constexpr double abyss_temperature = 2;
  constexpr double abyss_salinity = 35;
  return {.temperature = abyss_temperature + share * surface.temperature,
          .salinity = abyss_salinity + share * surface.salinity,
          .u_m_s = share * surface.u_m_s,
          .v_m_s = share * surface.v_m_s};
}

/// Volume flux through a cell's eastern side, in m³/s, from velocities summed over depth.
inline double eastward_through(const OceanBlock& block, const std::vector<double>& u_sum_m2_s,
                               std::size_t at) {
  const std::size_t south = at - static_cast<std::size_t>(block.stride);
  return (u_sum_m2_s[at] * block.height_m[at] + u_sum_m2_s[south] * block.height_m[south]) / 2;
}

/// Net outflow through a cell's sides, from velocities summed over depth.
inline double leaving_m3_s(const OceanBlock& block, const std::vector<double>& u_sum_m2_s,
                           const std::vector<double>& v_sum_m2_s, std::size_t at) {
  const auto stride = static_cast<std::size_t>(block.stride);
  const auto north = [&](std::size_t side) {
    return (v_sum_m2_s[side] * block.width_m[side] +
            v_sum_m2_s[side - 1] * block.width_m[side - 1]) /
           2;
  };
  return eastward_through(block, u_sum_m2_s, at) - eastward_through(block, u_sum_m2_s, at - 1) +
         north(at) - north(at - stride);
}

/// Calls visit(at, whether its corner is ocean, the seed's water) for all ocean cells of a block,
/// with ghost cells.
template <class Visit>
void OceanModel::each_initial(const OceanBlock& block, std::uint64_t seed, Visit visit) const {
  constexpr double scale_m = 800;
  std::vector<double> shares;
  double bottom_m = 0;
  for (const double thickness_m : block.thickness_m) {
    bottom_m += thickness_m;
    shares.push_back(std::exp(-bottom_m / scale_m));
  }
  const DisplacedPoleGrid& grid = parts_.grid;
  const layout::Box all = block.box.widened(0, OceanBlock::ghosts).widened(1, OceanBlock::ghosts);
  for (layout::Index j = all.lower[1]; j < all.upper[1]; ++j) {
    for (layout::Index i = all.lower[0]; i < all.upper[0]; ++i) {
      const std::size_t at = block.at(i, j);
      if (block.cell_levels[at] == 0) {
        continue;
      }
      // Wrap around the ring, so that a ghost cell has the bits of its owner's.
      const layout::Index column = (i % grid.columns() + grid.columns()) % grid.columns();
      const Water surface =
          surface_water(grid.position(static_cast<double>(column), static_cast<double>(j)), seed);
      for (layout::Index k = 0; k < block.cell_levels[at]; ++k) {
        visit(block.level(k) + at, block.corner_levels[at] > k,
              water_at(surface, shares[static_cast<std::size_t>(k)]));
      }
    }
  }
}

/// Calls visit(block, its state, index in a level, index in a BlockVector) for own ocean cells.
template <class Visit>
void OceanModel::each_surface_cell(Visit visit) const {
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const OceanBlock& block = blocks_[n];
    for (layout::Index j = block.box.lower[1]; j < block.box.upper[1]; ++j) {
      for (layout::Index i = block.box.lower[0]; i < block.box.upper[0]; ++i) {
        const std::size_t at = block.at(i, j);
        if (block.cell_levels[at] > 0) {
          visit(block, *states_[n], at, parts_.fields.at(n, i, j));
        }
      }
    }
  }
}

}  // namespace halocline::numerics
