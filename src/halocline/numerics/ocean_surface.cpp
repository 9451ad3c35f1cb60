#include <algorithm>

#include "halocline/numerics/ocean_state.hpp"
#include "halocline/numerics/sea_water.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr std::size_t fields_of_levels = 4;
constexpr std::size_t fields_of_surface = 2;  // surface height and pressure

double uppermost_kg_m2(const OceanBlock& block, double surface_m) {
  return reference_density_kg_m3 * (block.thickness_m.front() + surface_m);
}

/// Effect of fresh water that enters.
void dilute(double& salinity, double water_kg_m2, double sea_kg_m2) {
  constexpr double usual_salinity = 35;
  salinity -= usual_salinity * water_kg_m2 / sea_kg_m2;
}

}  // namespace

std::vector<Index> OceanModel::surface_cells() const {
  std::vector<Index> cells;
  const Index columns = parts_.grid.columns();
  for (const OceanBlock& block : blocks_) {
    for (Index j = block.box.lower[1]; j < block.box.upper[1]; ++j) {
      for (Index i = block.box.lower[0]; i < block.box.upper[0]; ++i) {
        if (block.cell_levels[block.at(i, j)] > 0) {
          cells.push_back(j * columns + i);
        }
      }
    }
  }
  return cells;
}

std::vector<double> OceanModel::surface_areas_m2() const {
  std::vector<double> areas;
  each_surface_cell([&](const OceanBlock& block, const State& /*state*/, std::size_t at,
                        std::size_t /*vector_at*/) { areas.push_back(block.area_m2[at]); });
  return areas;
}

std::vector<double> OceanModel::surface_temperatures() const {
  std::vector<double> temperatures;
  each_surface_cell(
      [&](const OceanBlock& /*block*/, const State& state, std::size_t at,
          std::size_t /*vector_at*/) { temperatures.push_back(state.temperature[at]); });
  return temperatures;
}

std::vector<double> OceanModel::surface_heights_m() const {
  std::vector<double> heights_m;
  each_surface_cell([&](const OceanBlock& /*block*/, const State& state, std::size_t at,
                        std::size_t /*vector_at*/) { heights_m.push_back(state.surface_m[at]); });
  return heights_m;
}

std::vector<double> OceanModel::eastward_m3_s() const {
  std::vector<double> flows_m3_s;
  each_surface_cell(
      [&](const OceanBlock& block, const State& state, std::size_t at, std::size_t /*vector_at*/) {
        flows_m3_s.push_back(eastward_through(block, state.u_sum_m2_s, at));
      });
  return flows_m3_s;
}

void OceanModel::set_wind(std::span<const double> along_rows,
                          std::span<const double> along_columns) {
  const auto set = [this](std::span<const double> stress, std::vector<double> OceanBlock::* wind) {
    auto next = stress.begin();
    // Borrows the surface pressure's memory, which each step overwrites.
    each_surface_cell(
        [&](const OceanBlock& /*block*/, State& state, std::size_t at, std::size_t /*vector_at*/) {
          state.surface_m2_s2[at] = *next++ / reference_density_kg_m3;
        });
    surface_halo_.start();
    surface_halo_.finish();
    for (std::size_t n = 0; n < blocks_.size(); ++n) {
      OceanBlock& block = blocks_[n];
      const double* const centre = states_[n]->surface_m2_s2.data();
      const auto length = static_cast<std::size_t>(block.box.extent(0));
      for_each_row(block, 0, 0, [&](std::size_t row) {
        for (std::size_t at = row; at < row + length; ++at) {
          const double* const here = centre + at;
          (block.*wind)[at] =
              (here[0] + here[1] + (here[block.stride] + here[block.stride + 1])) / 4;
        }
      });
    }
  };
  set(along_rows, &OceanBlock::wind_m2_s2);
  set(along_columns, &OceanBlock::north_wind_m2_s2);
}

void OceanModel::warm(std::span<const double> heat_w_m2, std::span<const double> water_kg_m2_s,
                      Seconds time) {
  std::size_t cell = 0;
  each_surface_cell(
      [&](const OceanBlock& block, State& state, std::size_t at, std::size_t /*vector_at*/) {
        const double sea_kg_m2 = uppermost_kg_m2(block, state.surface_m[at]);
        state.temperature[at] += heat_w_m2[cell] * time.count() / (sea_kg_m2 * sea_heat_capacity);
        dilute(state.salinity[at], water_kg_m2_s[cell] * time.count(), sea_kg_m2);
        ++cell;
      });
  tracer_halo_.start();
  tracer_halo_.finish();
}

void OceanModel::freeze(std::span<double> frozen_j_m2) {
  std::size_t cell = 0;
  each_surface_cell(
      [&](const OceanBlock& block, State& state, std::size_t at, std::size_t /*vector_at*/) {
        const double sea_kg_m2 = uppermost_kg_m2(block, state.surface_m[at]);
        const double lacking = std::max(freezing_point - state.temperature[at], 0.0);
        const double heat_j_m2 = lacking * sea_kg_m2 * sea_heat_capacity;
        state.temperature[at] += lacking;
        dilute(state.salinity[at], -heat_j_m2 / heat_of_fusion, sea_kg_m2);
        frozen_j_m2[cell] += heat_j_m2;
        ++cell;
      });
}

std::size_t OceanModel::numbers_of_cell(Index levels) {
  return fields_of_levels * static_cast<std::size_t>(levels) + fields_of_surface;
}

std::vector<double> OceanModel::saved() const {
  const auto levels = static_cast<Index>(parts_.thickness_m.size());
  const std::size_t cells = surface_cells().size();
  std::vector<double> numbers(numbers_of_cell(levels) * cells);
  std::size_t cell = 0;
  each_surface_cell(
      [&](const OceanBlock& block, const State& state, std::size_t at, std::size_t vector_at) {
        std::size_t number = cell++;
        for (const OceanField* const field :
             {&state.temperature, &state.salinity, &state.u, &state.v}) {
          for (Index k = 0; k < block.levels; ++k, number += cells) {
            numbers[number] = k < block.cell_levels[at] ? (*field)[block.level(k) + at] : 0;
          }
        }
        numbers[number] = state.surface_m[at];
        numbers[number + cells] = pressure_m2_s2_[vector_at];
      });
  return numbers;
}

void OceanModel::load(std::span<const double> numbers) {
  begin(0);
  const auto levels = static_cast<Index>(parts_.thickness_m.size());
  const std::size_t cells = numbers.size() / numbers_of_cell(levels);
  std::size_t cell = 0;
  each_surface_cell(
      [&](const OceanBlock& block, State& state, std::size_t at, std::size_t vector_at) {
        std::size_t number = cell++;
        for (OceanField* const field : {&state.temperature, &state.salinity, &state.u, &state.v}) {
          for (Index k = 0; k < block.levels; ++k, number += cells) {
            if (k < block.cell_levels[at]) {
              (*field)[block.level(k) + at] = numbers[number];
            }
          }
        }
        state.surface_m[at] = numbers[number];
        pressure_m2_s2_[vector_at] = numbers[number + cells];
      });
  update_halos();
}

}  // namespace halocline::numerics
