#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "halocline/base/pattern.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/ocean_state.hpp"

namespace halocline::numerics {

void OceanModel::forget_ghosts() {
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const OceanBlock& block = blocks_[n];
    State& state = *states_[n];
    const layout::Box all = block.box.widened(0, OceanBlock::ghosts).widened(1, OceanBlock::ghosts);
    for (layout::Index j = all.lower[1]; j < all.upper[1]; ++j) {
      for (layout::Index i = all.lower[0]; i < all.upper[0]; ++i) {
        const bool own = block.box.lower[0] <= i && i < block.box.upper[0] &&
                         block.box.lower[1] <= j && j < block.box.upper[1];
        for (layout::Index k = 0; !own && k < block.cell_levels[block.at(i, j)]; ++k) {
          for (OceanField* const field :
               {&state.temperature, &state.salinity, &state.u, &state.v}) {
            (*field)[block.level(k) + block.at(i, j)] = std::numeric_limits<double>::quiet_NaN();
          }
        }
      }
    }
  }
}

std::int64_t OceanModel::departures(std::uint64_t seed) const {
  std::int64_t departed = 0;
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const State& state = *states_[n];
    each_initial(blocks_[n], seed, [&](std::size_t at, bool corner, const Water& water) {
      const bool same =
          state.temperature[at] == water.temperature && state.salinity[at] == water.salinity &&
          state.u[at] == (corner ? water.u_m_s : 0) && state.v[at] == (corner ? water.v_m_s : 0);
      departed += same ? 0 : 1;
    });
  }
  return departed;
}

double OceanModel::continuity_error() const {
  const double step_s = parts_.time_step.count();
  std::array<double, 2> own{};
  std::vector<double> u_sum;
  std::vector<double> v_sum;
  const OceanBlock* summed = nullptr;
  each_surface_cell(
      [&](const OceanBlock& block, const State& state, std::size_t at, std::size_t vector_at) {
        if (summed != &block) {
          summed = &block;
          u_sum = block.level_of_zeros();
          v_sum = block.level_of_zeros();
          for (layout::Index k = 0; k < block.levels; ++k) {
            const double thickness_m = block.thickness_m[static_cast<std::size_t>(k)];
            for (std::size_t cell = 0; cell < u_sum.size(); ++cell) {
              u_sum[cell] += thickness_m * state.u[block.level(k) + cell];
              v_sum[cell] += thickness_m * state.v[block.level(k) + cell];
            }
          }
        }
        const double rise = pressure_m2_s2_[vector_at] - last_pressure_[vector_at];
        const double off = block.area_m2[at] * rise / (earth::gravity_m_s2 * step_s * step_s) +
                           leaving_m3_s(block, u_sum, v_sum, at) / step_s;
        own[0] += off * off;
        own[1] += block.area_m2[at] * block.area_m2[at];
      });
  std::array<double, own.size()> all{};
  mpi::Collectives(parts_.ranks).all_reduce(own, all);
  return std::sqrt(all[0] / all[1]);
}

OceanAccount OceanModel::account() const {
  std::array<double, 3> own{};
  double saltiest = -std::numeric_limits<double>::infinity();
  double least_salty = std::numeric_limits<double>::infinity();
  double fastest = 0;
  each_surface_cell(
      [&](const OceanBlock& block, const State& state, std::size_t at, std::size_t /*vector_at*/) {
        for (layout::Index k = 0; k < block.cell_levels[at]; ++k) {
          const std::size_t cell = block.level(k) + at;
          const double thickness_m =
              block.thickness_m[static_cast<std::size_t>(k)] + (k == 0 ? state.surface_m[at] : 0);
          const double volume_m3 = block.area_m2[at] * thickness_m;
          own[0] += volume_m3;
          own[1] += volume_m3 * state.temperature[cell];
          own[2] += volume_m3 * state.salinity[cell];
          saltiest = std::max(saltiest, state.salinity[cell]);
          least_salty = std::min(least_salty, state.salinity[cell]);
          fastest = std::max(fastest, std::hypot(state.u[cell], state.v[cell]));
        }
      });
  std::array<double, own.size()> all{};
  const mpi::Collectives collectives(parts_.ranks);
  collectives.all_reduce(own, all);
  return {.volume_m3 = all[0],
          .heat = all[1],
          .salt = all[2],
          .saltiest = saltiest,
          .least_salty = least_salty,
          .fastest_m_s = fastest};
}

std::uint64_t OceanModel::checksum() const {
  const auto columns = static_cast<std::uint64_t>(parts_.grid.columns());
  std::uint64_t own = 0;
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const OceanBlock& block = blocks_[n];
    const State& state = *states_[n];
    for (layout::Index j = block.box.lower[1]; j < block.box.upper[1]; ++j) {
      for (layout::Index i = block.box.lower[0]; i < block.box.upper[0]; ++i) {
        for (layout::Index k = 0; k < block.cell_levels[block.at(i, j)]; ++k) {
          const std::size_t at = block.level(k) + block.at(i, j);
          std::uint64_t name =
              (static_cast<std::uint64_t>(j) * columns + static_cast<std::uint64_t>(i)) * 1024 +
              static_cast<std::uint64_t>(k);
          for (const OceanField* const field :
               {&state.temperature, &state.salinity, &state.u, &state.v}) {
            name += std::uint64_t{1} << 40U;
            own +=
                pattern_word(0, std::bit_cast<std::uint64_t>((*field)[at]) ^ pattern_word(0, name));
          }
        }
      }
    }
  }
  return parts_.ranks.sum(own);
}

}  // namespace halocline::numerics
