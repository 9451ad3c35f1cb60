#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "halocline/layout/ocean_blocks.hpp"
#include "halocline/numerics/ocean_mask.hpp"
#include "halocline/numerics/surface_solver.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

// Axes that the ocean's workloads share.
const ChoiceAxis& ocean_grid_axis();
const ChoiceAxis& solver_axis();
const ChoiceAxis& preconditioner_axis();
const ChoiceAxis& sum_axis();
const ChoiceAxis& summation_axis();
const ChoiceAxis& distribution_axis();
const IntegerAxis& block_axis();
/// Iterations of the solver in a step; 0: until the tolerance.
const IntegerAxis& ocean_iterations_axis();
const ChoiceAxis& tolerance_axis();
/// Ranks that solve; 0: all, each for its part of the ocean.
const IntegerAxis& solver_ranks_axis();
const ChoiceAxis& barriers_axis();

/// How an ocean's grid is cut and its barotropic system solved.
struct OceanShape {
  std::string_view grid;
  layout::Distribution distribution;
  int ranks_along_y = 0;  // of a cartesian distribution; 0: chosen by the ranks
  std::int64_t block;     // cells along a side; 0: chosen by the ranks
  numerics::SurfaceMethod surface;
  int solver_ranks = 0;  // 0: all
  numerics::Stop stop;
  bundle::Way way;  // of halos and remaps
};

/// From the axes above and ranks_along_y_axis(0); `iterations` of 0: until the tolerance. Throws
/// Skip like way_of(), if more ranks shall solve than exist, and if the ranks do not fill the grid.
OceanShape ocean_shape_of(const AxisValues& values, std::int64_t iterations,
                          const mpi::Communicator& world);

/// The stages of a solver, in the order of its phases.
std::vector<numerics::Stage> stages_of(const OceanShape& shape);
/// As used in phases.
std::string_view stage_name(numerics::Stage stage);

/// Maximum memory of the preconditioner for this many cells.
double preconditioner_bytes(const OceanShape& shape, double cells);
/// Total memory of a solver for this many cells.
double solver_bytes(const OceanShape& shape, double cells);
/// The same for this rank if it is one of those that solve for the grid; 0 if not.
double subset_bytes(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                    const mpi::Communicator& world);

/// The model's time steps: 300 a day at 0.1 degrees, 24 on coarser grids.
Seconds time_step_of(std::string_view grid);

/// Throws Skip on all ranks unless the memory that a node's ranks need fits the allowed share of
/// the node's memory, in percent: `own_bytes` of this rank, and what each keeps of the whole grid.
void require_grid_memory(const numerics::DisplacedPoleGrid& grid, double own_bytes,
                         int percent_allowed, const mpi::Communicator& world);

inline constexpr layout::Index most_block_cells = 3600;

/// The blocks of the grid, or Skip on all ranks. Where ranks do not form rectangles, automatic
/// blocks have at most `largest` cells along a side.
layout::Blocks ocean_blocks_of(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                               const numerics::OceanMask& mask, int ranks,
                               layout::Index largest = most_block_cells);

/// The surface's method, with the blocks of the solving ranks if not all solve.
numerics::SurfaceMethod surface_of(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                                   const numerics::OceanMask& mask);

/// Throws Skip if the shape has reproducible sums and the blocks that solve cannot have them: those
/// of the method, or `blocks` if all ranks solve.
void require_reproducible(const OceanShape& shape, const numerics::SurfaceMethod& method,
                          const layout::Blocks& blocks);

/// Throws Skip if the solver has not reached its tolerance.
void require_converged(const numerics::Solved& solved);

/// The sum over all ranks. Collective.
std::int64_t over_all(std::int64_t own, const mpi::Communicator& world);
/// The busiest rank relative to the average. Collective.
double imbalance_of(std::int64_t own, const mpi::Communicator& world);

}  // namespace halocline::workload
