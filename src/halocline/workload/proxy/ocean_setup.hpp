#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "halocline/layout/ocean_blocks.hpp"
#include "halocline/numerics/barotropic_solver.hpp"
#include "halocline/numerics/ocean_mask.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

// Axes that the ocean's workloads share.
const ChoiceAxis& ocean_grid_axis();
const ChoiceAxis& solver_axis();
const ChoiceAxis& sum_axis();
const ChoiceAxis& summation_axis();
const ChoiceAxis& distribution_axis();
const IntegerAxis& block_axis();
const ChoiceAxis& tolerance_axis();

inline constexpr std::size_t most_summed = 2 * numerics::ExactSum::bins;

/// How an ocean's grid is cut and its barotropic system solved.
struct OceanShape {
  std::string_view grid;
  std::string_view solver;
  std::string_view sum;
  numerics::Summation summation;
  layout::Distribution distribution;
  std::int64_t block;  // cells along a side; 0: by the ranks
  numerics::Stop stop;
};

/// From the axes above; `iterations` of 0: until the tolerance.
OceanShape ocean_shape_of(const AxisValues& values, std::int64_t iterations);

/// The model's steps, of 1 and 0.1 degrees: 24 and 300 a day.
Seconds time_step_of(std::string_view grid);

/// Throws Skip, as all ranks do, unless a grid whose cells take so many bytes each, shared by the
/// ranks, fits the part of a node's memory that is allowed, in percent.
void require_grid_memory(const numerics::DisplacedPoleGrid& grid, double bytes_per_cell,
                         int percent_allowed, const mpi::Communicator& world);

/// The blocks of the grid, or Skip, as all ranks find.
layout::Blocks ocean_blocks_of(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                               const numerics::OceanMask& mask, int ranks);

/// Throws Skip where reproducible sums are asked for on blocks that cannot have them.
void require_reproducible(const OceanShape& shape, const numerics::BlockFields& fields);

/// Of a few digits, however small.
std::string number_text(double number);

}  // namespace halocline::workload
