#include "halocline/numerics/ocean_model.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/ocean_state.hpp"
#include "halocline/route/block_halo.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

/// POP's operator counts 2 α Δt² for its leapfrog step; here it must count Δt².
Seconds operator_step(Seconds time_step) {
  return time_step / std::sqrt(2 * BarotropicOperator::alpha);
}

}  // namespace

OceanPhase ocean_phase_of(Stage stage) {
  switch (stage) {
    case Stage::stencil:
      return OceanPhase::solver;
    case Stage::halo:
      return OceanPhase::solver_halo;
    case Stage::global_sum:
      return OceanPhase::global_sum;
    case Stage::preconditioner:
      return OceanPhase::preconditioner;
    case Stage::waiting:
      return OceanPhase::waiting;
    case Stage::remap:
      return OceanPhase::remap;
    default:
      return OceanPhase::vectors;
  }
}

double OceanModel::bytes_of(std::span<const layout::Part> blocks, Index levels) {
  constexpr Index padding = 2 * OceanBlock::ghosts;
  constexpr Index fields = 4;
  constexpr Index single_levels = 60;  // geometry, fluxes, solver vectors
  constexpr Index fields_to_work_in = 2;
  Index cells = 0;
  Index largest = 0;
  for (const layout::Part& part : blocks) {
    const Index here = (part.local.extent(0) + padding) * (part.local.extent(1) + padding);
    cells += here;
    largest = std::max(largest, here);
  }
  return static_cast<double>(cells * (fields * levels + single_levels) +
                             largest * fields_to_work_in * levels) *
         sizeof(double);
}

OceanModel::OceanModel(const OceanParts& parts)
    : parts_(parts),
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
      surface_halo_(halo_of(0, 1,
                            [](const OceanBlock& block, State& state) {
                              return bundle::Bundle{block.halo_level(state.surface_m2_s2)};
                            })),
      surface_({.grid = parts.grid,
                .depth_m = parts.depth_m,
                .time_step = operator_step(parts.time_step),
                .fields = parts.fields,
                .method = parts.surface,
                .ranks = parts.ranks,
                .way = parts.way,
                .on_stage = [this](Stage stage) { enter(ocean_phase_of(stage)); }},
               right_, pressure_m2_s2_) {
  for (const OceanBlock& block : blocks_) {
    if (static_cast<layout::Index>(work_[0].size()) < block.plane * block.levels) {
      work_ = {block.zeros(), block.zeros()};
    }
  }
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

/// Halo of these widths for the fields that fields_of(block, state) lists.
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
  surface_.meet();
  enter(OceanPhase::solver_halo);
  sum_halo_.start();
  sum_halo_.finish();
  enter(OceanPhase::vectors);
  write_right_side();
  const Solved solved = surface_.solve(stop);
  enter(OceanPhase::vectors);
  write_surface();
  enter(OceanPhase::solver_halo);
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

void OceanModel::write_right_side() {
  const double step_s = parts_.time_step.count();
  each_surface_cell([&](const OceanBlock& block, const State& state, std::size_t at,
                        std::size_t vector_at) {
    last_pressure_[vector_at] = pressure_m2_s2_[vector_at];
    right_[vector_at] =
        block.area_m2[at] * pressure_m2_s2_[vector_at] / (earth::gravity_m_s2 * step_s * step_s) -
        leaving_m3_s(block, state.u_sum_m2_s, state.v_sum_m2_s, at) / step_s;
  });
}

void OceanModel::write_surface() {
  each_surface_cell(
      [&](const OceanBlock& /*block*/, State& state, std::size_t at, std::size_t vector_at) {
        state.surface_m2_s2[at] = pressure_m2_s2_[vector_at];
      });
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
  work.halo_bytes = tracer_halo_.sent_bytes() + velocity_halo_.sent_bytes();
  work.surface_halo_bytes = sum_halo_.sent_bytes() + surface_halo_.sent_bytes();
  work.warm_halo_bytes = tracer_halo_.sent_bytes();
  work.wind_halo_bytes = 2 * surface_halo_.sent_bytes();  // along rows and along columns
  return work;
}

std::size_t OceanModel::off_node_bytes(std::span<const int> node_of_rank,
                                       std::int64_t iterations) const {
  std::size_t bytes = surface_.off_node_bytes(node_of_rank, iterations);
  for (const auto* const halo : {&tracer_halo_, &velocity_halo_, &sum_halo_, &surface_halo_}) {
    bytes += halo->off_node_bytes(node_of_rank);
  }
  return bytes;
}

std::size_t OceanModel::warm_off_node_bytes(std::span<const int> node_of_rank) const {
  return tracer_halo_.off_node_bytes(node_of_rank);
}

std::size_t OceanModel::wind_off_node_bytes(std::span<const int> node_of_rank) const {
  return 2 * surface_halo_.off_node_bytes(node_of_rank);  // along rows and along columns
}

}  // namespace halocline::numerics
