#include "halocline/numerics/ocean_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "halocline/base/pattern.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/route/block_halo.hpp"

namespace halocline::numerics {
namespace {

using layout::Box;
using layout::Index;

constexpr double alpha = 1.0 / 3;  // of the operator's time weights

/// The operator is POP's, whose leapfrog step counts 2 α Δt²; here it is to count Δt².
Seconds operator_step(Seconds time_step) { return time_step / std::sqrt(2 * alpha); }

/// What a point holds in the state that a seed names.
struct Water {
  double temperature;
  double salinity;
  double u_m_s;
  double v_m_s;
};

/// At the surface of a place, above what the abyss has.
Water surface_water(const Position& place, std::uint64_t seed) {
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

Water water_at(const Water& surface, double share) {
  constexpr double abyss_temperature = 2;
  constexpr double abyss_salinity = 35;
  return {.temperature = abyss_temperature + share * surface.temperature,
          .salinity = abyss_salinity + share * surface.salinity,
          .u_m_s = share * surface.u_m_s,
          .v_m_s = share * surface.v_m_s};
}

/// Through the sides of a cell, of velocities summed over depth.
double leaving_m3_s(const OceanBlock& block, const std::vector<double>& u_sum_m2_s,
                    const std::vector<double>& v_sum_m2_s, std::size_t at) {
  const auto stride = static_cast<std::size_t>(block.stride);
  const auto east = [&](std::size_t side) {
    return (u_sum_m2_s[side] * block.height_m[side] +
            u_sum_m2_s[side - stride] * block.height_m[side - stride]) /
           2;
  };
  const auto north = [&](std::size_t side) {
    return (v_sum_m2_s[side] * block.width_m[side] +
            v_sum_m2_s[side - 1] * block.width_m[side - 1]) /
           2;
  };
  return east(at) - east(at - 1) + north(at) - north(at - stride);
}

}  // namespace

/// The numbers of a block, and how they step.
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

double OceanModel::bytes_of(const Box& block, Index levels) {
  constexpr Index padding = 2 * OceanBlock::ghosts;
  constexpr Index fields = 4;
  constexpr Index single_levels = 60;  // geometry, fluxes, vectors of the solver
  const Index cells = (block.extent(0) + padding) * (block.extent(1) + padding);
  return static_cast<double>(cells * (fields * levels + single_levels)) * sizeof(double);
}

OceanModel::OceanModel(const OceanParts& parts)
    : parts_(parts),
      a_(parts.grid, parts.depth_m, operator_step(parts.time_step), parts.fields),
      blocks_(blocks_of(parts)),
      states_(states_of(blocks_, parts.time_step)),
      pressure_m2_s2_(parts.fields.zeros()),
      last_pressure_(parts.fields.zeros()),
      right_(parts.fields.zeros()),
      tracer_halo_(halo_of(OceanBlock::ghosts, OceanBlock::ghosts,
                           [](const OceanBlock& block, State& state) {
                             return bundle::Bundle{block.halo_field(state.temperature),
                                                   block.halo_field(state.salinity)};
                           })),
      velocity_halo_(halo_of(OceanBlock::ghosts, OceanBlock::ghosts,
                             [](const OceanBlock& block, State& state) {
                               return bundle::Bundle{block.halo_field(state.u),
                                                     block.halo_field(state.v)};
                             })),
      sum_halo_(halo_of(1, 0,
                        [](const OceanBlock& block, State& state) {
                          return bundle::Bundle{block.halo_level(state.u_sum_m2_s),
                                                block.halo_level(state.v_sum_m2_s)};
                        })),
      surface_halo_(halo_of(0, 1, [](const OceanBlock& block, State& state) {
        return bundle::Bundle{block.halo_level(state.surface_m2_s2)};
      })) {
  for (const OceanBlock& block : blocks_) {
    if (static_cast<layout::Index>(work_[0].size()) < block.plane * block.levels) {
      work_ = {block.zeros(), block.zeros()};
    }
  }
  solver_ = BarotropicSolver::named(
      parts_.solver, {.a = a_,
                      .ranks = parts_.ranks,
                      .way = {.protocol = parts_.way.protocol, .near = bundle::Near::messages},
                      .sum = parts_.sum,
                      .summation = parts_.summation,
                      .on_stage = [this](Stage stage) {
                        enter(stage == Stage::stencil      ? OceanPhase::solver
                              : stage == Stage::halo       ? OceanPhase::solver_halo
                              : stage == Stage::global_sum ? OceanPhase::global_sum
                                                           : OceanPhase::vectors);
                      }});
}

OceanModel::~OceanModel() = default;

std::vector<OceanBlock> OceanModel::blocks_of(const OceanParts& parts) {
  std::vector<OceanBlock> blocks;
  for (const layout::Part& part : parts.fields.parts()) {
    blocks.emplace_back(parts.grid, parts.depth_m, parts.thickness_m, part.local);
  }
  return blocks;
}

std::vector<std::unique_ptr<OceanModel::State>> OceanModel::states_of(
    const std::vector<OceanBlock>& blocks, Seconds time_step) {
  std::vector<std::unique_ptr<State>> states;
  for (const OceanBlock& block : blocks) {
    states.push_back(std::make_unique<State>(block, time_step));
  }
  return states;
}

/// The halo of the fields that fields_of(block, state) names, so many cells wide.
template <class FieldsOf>
bundle::Redistribution OceanModel::halo_of(Index below, Index above, FieldsOf fields_of) const {
  bundle::Blocks bundles;
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    bundles.push_back(fields_of(blocks_[n], *states_[n]));
  }
  return {route::halo(parts_.fields.blocks(),
                      {.below = {below, below, 0, 0},
                       .above = {above, above, 0, 0},
                       .periodic = {true, false, false, false}},
                      parts_.ranks),
          bundles, bundles, parts_.way, parts_.ranks};
}

/// Calls visit(at, whether a corner of ocean, the water of the seed) for all cells of ocean of a
/// block, ghost cells too.
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
  const Box all = block.box.widened(0, OceanBlock::ghosts).widened(1, OceanBlock::ghosts);
  for (Index j = all.lower[1]; j < all.upper[1]; ++j) {
    for (Index i = all.lower[0]; i < all.upper[0]; ++i) {
      const std::size_t at = block.at(i, j);
      if (block.cell_levels[at] == 0) {
        continue;
      }
      // Around the ring, so that a ghost cell has the bits of its owner's.
      const Index column = (i % grid.columns() + grid.columns()) % grid.columns();
      const Water surface =
          surface_water(grid.position(static_cast<double>(column), static_cast<double>(j)), seed);
      for (Index k = 0; k < block.cell_levels[at]; ++k) {
        visit(block.level(k) + at, block.corner_levels[at] > k,
              water_at(surface, shares[static_cast<std::size_t>(k)]));
      }
    }
  }
}

void OceanModel::begin(std::uint64_t seed, std::optional<double> salinity) {
  std::ranges::fill(pressure_m2_s2_, 0.0);
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    State& state = *states_[n];
    std::ranges::fill(state.surface_m, 0.0);
    each_initial(blocks_[n], seed, [&](std::size_t at, bool corner, const Water& water) {
      state.temperature[at] = water.temperature;
      state.salinity[at] = salinity.value_or(water.salinity);
      state.u[at] = corner ? water.u_m_s : 0;
      state.v[at] = corner ? water.v_m_s : 0;
    });
  }
}

void OceanModel::forget_ghosts() {
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const OceanBlock& block = blocks_[n];
    State& state = *states_[n];
    const Box all = block.box.widened(0, OceanBlock::ghosts).widened(1, OceanBlock::ghosts);
    for (Index j = all.lower[1]; j < all.upper[1]; ++j) {
      for (Index i = all.lower[0]; i < all.upper[0]; ++i) {
        const bool own = block.box.lower[0] <= i && i < block.box.upper[0] &&
                         block.box.lower[1] <= j && j < block.box.upper[1];
        for (Index k = 0; !own && k < block.cell_levels[block.at(i, j)]; ++k) {
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

void OceanModel::update_halos() {
  for (auto* const halo : {&tracer_halo_, &velocity_halo_}) {
    halo->start();
    halo->finish();
  }
}

Solved OceanModel::step(const Stop& stop) {
  auto& [work, other_work] = work_;
  enter(OceanPhase::tracers);
  for (const auto& state : states_) {
    state->tracers.step(state->u, state->v, state->surface_m,
                        {&state->temperature, &state->salinity}, {&work, &other_work});
  }
  enter(OceanPhase::halo);
  tracer_halo_.start();
  tracer_halo_.finish();
  enter(OceanPhase::momentum);
  for (const auto& state : states_) {
    state->momentum.step(state->u, state->v, state->temperature, state->salinity, work, other_work,
                         state->u_sum_m2_s, state->v_sum_m2_s);
  }
  enter(OceanPhase::halo);
  sum_halo_.start();
  sum_halo_.finish();
  enter(OceanPhase::vectors);
  write_right_side();
  const Solved solved = solver_->solve(right_, pressure_m2_s2_, stop);
  enter(OceanPhase::vectors);
  write_surface();
  enter(OceanPhase::halo);
  surface_halo_.start();
  surface_halo_.finish();
  enter(OceanPhase::momentum);
  for (const auto& state : states_) {
    state->momentum.push(state->surface_m2_s2, state->u, state->v);
  }
  enter(OceanPhase::halo);
  velocity_halo_.start();
  velocity_halo_.finish();
  return solved;
}

/// Calls visit(block, its state, where in a level, where in a BlockVector) for own cells of ocean.
template <class Visit>
void OceanModel::each_surface_cell(Visit visit) const {
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const OceanBlock& block = blocks_[n];
    for (Index j = block.box.lower[1]; j < block.box.upper[1]; ++j) {
      for (Index i = block.box.lower[0]; i < block.box.upper[0]; ++i) {
        const std::size_t at = block.at(i, j);
        if (block.cell_levels[at] > 0) {
          visit(block, *states_[n], at, parts_.fields.at(n, i, j));
        }
      }
    }
  }
}

void OceanModel::write_right_side() {
  const double step_s = parts_.time_step.count();
  each_surface_cell(
      [&](const OceanBlock& block, const State& state, std::size_t at, std::size_t vector_at) {
        last_pressure_[vector_at] = pressure_m2_s2_[vector_at];
        right_[vector_at] =
            block.area_m2[at] * pressure_m2_s2_[vector_at] / (gravity_m_s2 * step_s * step_s) -
            leaving_m3_s(block, state.u_sum_m2_s, state.v_sum_m2_s, at) / step_s;
      });
}

void OceanModel::write_surface() {
  each_surface_cell(
      [&](const OceanBlock& /*block*/, State& state, std::size_t at, std::size_t vector_at) {
        state.surface_m2_s2[at] = pressure_m2_s2_[vector_at];
      });
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
          for (Index k = 0; k < block.levels; ++k) {
            const double thickness_m = block.thickness_m[static_cast<std::size_t>(k)];
            for (std::size_t cell = 0; cell < u_sum.size(); ++cell) {
              u_sum[cell] += thickness_m * state.u[block.level(k) + cell];
              v_sum[cell] += thickness_m * state.v[block.level(k) + cell];
            }
          }
        }
        const double rise = pressure_m2_s2_[vector_at] - last_pressure_[vector_at];
        const double off = block.area_m2[at] * rise / (gravity_m_s2 * step_s * step_s) +
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
        for (Index k = 0; k < block.cell_levels[at]; ++k) {
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
    for (Index j = block.box.lower[1]; j < block.box.upper[1]; ++j) {
      for (Index i = block.box.lower[0]; i < block.box.upper[0]; ++i) {
        for (Index k = 0; k < block.cell_levels[block.at(i, j)]; ++k) {
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

OceanModel::Work OceanModel::work() const {
  Work work{};
  std::int64_t corners = 0;
  for (const OceanBlock& block : blocks_) {
    work.ocean_cells += block.ocean_cells;
    corners += block.ocean_corners;
  }
  const auto cells = static_cast<std::size_t>(work.ocean_cells);
  work.tracer_operations = work.ocean_cells * OceanTracers::operations_per_cell;
  work.tracer_bytes = cells * OceanTracers::bytes_per_cell;
  work.momentum_operations = corners * OceanMomentum::operations_per_corner;
  work.momentum_bytes = static_cast<std::size_t>(corners) * OceanMomentum::bytes_per_corner;
  for (const auto* const halo : {&tracer_halo_, &velocity_halo_, &sum_halo_, &surface_halo_}) {
    work.halo_bytes += halo->sent_bytes();
  }
  work.solver_halo_bytes =
      solver_->solution().sent_bytes() * static_cast<std::size_t>(solver_->halos());
  return work;
}

std::size_t OceanModel::off_node_bytes(std::span<const int> node_of_rank) const {
  std::size_t bytes = 0;
  for (const auto* const halo : {&tracer_halo_, &velocity_halo_, &sum_halo_, &surface_halo_}) {
    bytes += halo->off_node_bytes(node_of_rank);
  }
  return bytes;
}

}  // namespace halocline::numerics
