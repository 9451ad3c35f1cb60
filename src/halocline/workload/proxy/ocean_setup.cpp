#include "halocline/workload/proxy/ocean_setup.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/base/words.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/micro/topology.hpp"
#include "halocline/workload/near.hpp"

namespace halocline::workload {
namespace {

using layout::Index;

/// Columns and rows of a block.
std::pair<Index, Index> block_of(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                                 int ranks, Index largest) {
  if (shape.block > 0) {
    return {shape.block, shape.block};
  }
  const auto rounded = [](Index cells) {
    return (cells + numerics::strip_rows - 1) / numerics::strip_rows * numerics::strip_rows;
  };
  const bool reproducible = shape.surface.summation == numerics::Summation::reproducible;
  const auto share = [&](Index cells, Index ranks_along) {
    const auto blocks_for_all = [&](Index length) {
      return (cells + length - 1) / length >= ranks_along;
    };
    const Index exact = (cells + ranks_along - 1) / ranks_along;
    const Index longer = rounded(exact);
    if (blocks_for_all(longer)) {
      return longer;
    }
    const Index shorter = std::max<Index>(cells / ranks_along, 1);  // always enough blocks
    if (reproducible && shorter >= numerics::strip_rows) {
      return shorter / numerics::strip_rows * numerics::strip_rows;
    }
    return blocks_for_all(exact) ? exact : shorter;
  };
  if (ranks == 1 || shape.distribution == layout::Distribution::cartesian) {
    const layout::RankGrid along = grid_of(ranks, shape.ranks_along_y, 1);
    const Index columns = share(grid.columns(), along.extent[0]);
    const Index rows = share(grid.rows(), along.extent[1]);
    return ranks > 1 ? std::pair{columns, rows}
                     : std::pair{std::min(columns, largest), std::min(rows, largest)};
  }
  constexpr int blocks_per_rank = 12;
  const Index cells = grid.columns() * grid.rows() / (blocks_per_rank * Index{ranks});
  const Index side = std::max(rounded(static_cast<Index>(std::sqrt(static_cast<double>(cells)))),
                              numerics::strip_rows);
  return {std::min(side, largest), std::min(side, largest)};
}

int checked_along_y(std::int64_t along_y, std::string_view distribution, int ranks) {
  const std::string asked = "grid_y=" + std::to_string(along_y);
  if (along_y > 0 && distribution != "cartesian") {
    throw Skip(asked + " with distribution=" + std::string{distribution} +
               "; allowed: 0; choose grid_y=0, or distribution=cartesian, whose ranks form a grid");
  }
  if (along_y > 0 && ranks % along_y != 0) {
    throw Skip(asked + " of " + std::to_string(ranks) + " ranks; allowed: a divisor of " +
               std::to_string(ranks) + ", or 0 for the automatic grid; choose one of these");
  }
  return static_cast<int>(along_y);
}

double checked_tolerance(std::string_view name, std::int64_t iterations) {
  const std::string_view first = tolerance_axis().defaults.front();
  if (iterations > 0 && name != first) {
    throw Skip("tolerance=" + std::string{name} + " with iterations=" + std::to_string(iterations) +
               ", after which each solve ends; allowed: " + std::string{first} +
               "; choose tolerance=" + std::string{first} + ", or iterations=0");
  }
  return name == "1e-15" ? 1e-15 : 1e-13;
}

}  // namespace

const ChoiceAxis& ocean_grid_axis() {
  static const ChoiceAxis axis{.name = "grid",
                               .choices = {"x8", "x4", "x1", "tenth"},
                               .defaults = {"x1"},
                               .verified = {"x8"}};
  return axis;
}

const ChoiceAxis& solver_axis() {
  static const ChoiceAxis axis{
      .name = "solver",
      .choices = {"pcg", "chronopoulos_gear", "pcsi", "pipelined", "gropp"},
      .defaults = {"chronopoulos_gear"},
      .verified = {"chronopoulos_gear"}};
  return axis;
}

const ChoiceAxis& preconditioner_axis() {
  static const ChoiceAxis axis{.name = "preconditioner",
                               .choices = {"diagonal", "block_ssor", "block_evp"},
                               .defaults = {"diagonal"},
                               .verified = {"diagonal"}};
  return axis;
}

const ChoiceAxis& sum_axis() {
  static const ChoiceAxis axis{.name = "sum",
                               .choices = {"flat", "two_level", "overlapped", "one_sided"},
                               .defaults = {"flat"},
                               .verified = {"flat"}};
  return axis;
}

const ChoiceAxis& summation_axis() {
  static const ChoiceAxis axis{.name = "summation",
                               .choices = {"plain", "reproducible"},
                               .defaults = {"plain"},
                               .verified = {"plain"}};
  return axis;
}

const ChoiceAxis& distribution_axis() {
  static const ChoiceAxis axis{.name = "distribution",
                               .choices = {"cartesian", "rake", "curve"},
                               .defaults = {"curve"},
                               .verified = {"curve"}};
  return axis;
}

const IntegerAxis& block_axis() {
  static const IntegerAxis axis{
      .name = "block", .unit = "cells", .low = 0, .high = most_block_cells, .defaults = {0}};
  return axis;
}

const IntegerAxis& ocean_iterations_axis() {
  static const IntegerAxis axis{.name = "iterations",
                                .unit = "iterations",
                                .low = 0,
                                .high = 100'000,
                                .defaults = {0},
                                .verified = {2}};
  return axis;
}

const ChoiceAxis& tolerance_axis() {
  static const ChoiceAxis axis{.name = "tolerance",
                               .choices = {"1e-13", "1e-15"},
                               .defaults = {"1e-13"},
                               .verified = {"1e-13"}};
  return axis;
}

const IntegerAxis& solver_ranks_axis() {
  static const IntegerAxis axis{.name = "solver_ranks",
                                .unit = "ranks",
                                .low = 0,
                                .high = any_number_of_ranks,
                                .defaults = {0}};
  return axis;
}

const ChoiceAxis& barriers_axis() {
  static const ChoiceAxis axis{.name = "barriers",
                               .choices = {"none", "solve", "sums"},
                               .defaults = {"solve"},
                               .verified = {"solve"}};
  return axis;
}

std::vector<numerics::Stage> stages_of(const OceanShape& shape) {
  using numerics::Stage;
  std::vector<Stage> stages{Stage::stencil, Stage::halo, Stage::global_sum, Stage::vectors};
  if (shape.surface.barriers != numerics::Barriers::none || shape.solver_ranks > 0) {
    stages.push_back(Stage::waiting);
  }
  if (shape.solver_ranks > 0) {
    stages.push_back(Stage::remap);
  }
  if (shape.surface.preconditioner != "diagonal") {
    stages.push_back(Stage::preconditioner);
  }
  return stages;
}

std::string_view stage_name(numerics::Stage stage) {
  switch (stage) {
    case numerics::Stage::stencil:
      return "operator";
    case numerics::Stage::halo:
      return "halo";
    case numerics::Stage::global_sum:
      return "global_sum";
    case numerics::Stage::preconditioner:
      return "preconditioner";
    case numerics::Stage::vectors:
      return "vectors";
    case numerics::Stage::waiting:
      return "wait";
    case numerics::Stage::remap:
      return "remap";
  }
  return "";
}

std::int64_t over_all(std::int64_t own, const mpi::Communicator& world) {
  return static_cast<std::int64_t>(world.sum(static_cast<std::uint64_t>(own)));
}

double imbalance_of(std::int64_t own, const mpi::Communicator& world) {
  return static_cast<double>(world.maximum(own) * world.size()) /
         static_cast<double>(over_all(own, world));
}

double preconditioner_bytes(const OceanShape& shape, double cells) {
  constexpr double numbers_of_cell = 14;  // eight weights, the rest for squares with coasts
  return shape.surface.preconditioner == "block_evp" ? numbers_of_cell * sizeof(double) * cells : 0;
}

double solver_bytes(const OceanShape& shape, double cells) {
  // The operator's weights and the vectors of the solver, of P-CSI's estimate of the spectrum too.
  constexpr double numbers_of_cell = 22;
  return cells * numbers_of_cell * sizeof(double) + preconditioner_bytes(shape, cells);
}

double subset_bytes(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                    const mpi::Communicator& world) {
  const std::vector<int> solving = numerics::spread_ranks(shape.solver_ranks, world.size());
  return std::ranges::binary_search(solving, world.rank())
             ? solver_bytes(shape,
                            static_cast<double>(grid.columns() * grid.rows()) / shape.solver_ranks)
             : 0;
}

Seconds time_step_of(std::string_view grid) { return Seconds{grid == "tenth" ? 288.0 : 3600.0}; }

void require_grid_memory(const numerics::DisplacedPoleGrid& grid, double own_bytes,
                         int percent_allowed, const mpi::Communicator& world) {
  constexpr double of_whole_grid_bytes = sizeof(float) + 1;  // depth and mask, on every rank
  const auto cells = static_cast<double>(grid.columns() * grid.rows());
  require_memory("a grid of " + std::to_string(grid.columns()) + " x " +
                     std::to_string(grid.rows()) + " cells",
                 cells * of_whole_grid_bytes + own_bytes, percent_allowed,
                 "a smaller grid, fewer levels or more nodes", world);
}

layout::Blocks ocean_blocks_of(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                               const numerics::OceanMask& mask, int ranks, Index largest) {
  try {
    const auto [columns, rows] = block_of(shape, grid, ranks, largest);
    return layout::ocean_blocks(
        grid.columns(), grid.rows(), columns, rows,
        [&mask](const layout::Box& box) { return mask.count(box); }, shape.distribution, ranks,
        shape.ranks_along_y);
  } catch (const Error& error) {
    throw Skip(error.what());
  }
}

numerics::SurfaceMethod surface_of(const OceanShape& shape, const numerics::DisplacedPoleGrid& grid,
                                   const numerics::OceanMask& mask) {
  numerics::SurfaceMethod method = shape.surface;
  if (shape.solver_ranks > 0) {
    OceanShape of_solving = shape;
    of_solving.ranks_along_y = 0;  // what divides all ranks need not divide those that solve
    method.blocks = ocean_blocks_of(of_solving, grid, mask, shape.solver_ranks);
  }
  return method;
}

void require_reproducible(const OceanShape& shape, const numerics::SurfaceMethod& method,
                          const layout::Blocks& blocks) {
  if (shape.surface.summation == numerics::Summation::plain ||
      numerics::allow_reproducible_sums(method.blocks ? *method.blocks : blocks)) {
    return;
  }
  const std::string cells = std::to_string(numerics::strip_rows);
  const std::string remedy = shape.block > 0 ? "block=0 or a multiple of " + cells
                             : method.blocks ? "other solver_ranks, or distribution=curve"
                                             : "other ranks, or distribution=curve";
  throw Skip("reproducible sums of blocks that do not begin at multiples of " + cells +
             " cells; choose " + remedy);
}

void require_converged(const numerics::Solved& solved) {
  if (!solved.converged) {
    throw Skip("the solver has not converged after " + std::to_string(solved.iterations) +
               " iterations: its residual is " + number_text(solved.residual) +
               "; choose another solver or tolerance");
  }
}

OceanShape ocean_shape_of(const AxisValues& values, std::int64_t iterations,
                          const mpi::Communicator& world) {
  const std::int64_t solver_ranks = values.integer(solver_ranks_axis());
  if (solver_ranks > world.size()) {
    throw Skip("solver_ranks=" + std::to_string(solver_ranks) + " of " +
               std::to_string(world.size()) + " ranks; allowed: up to " +
               std::to_string(world.size()) + ", or 0 for all; choose fewer");
  }
  const double tolerance = checked_tolerance(values.choice(tolerance_axis()), iterations);
  const std::string_view distribution = values.choice(distribution_axis());
  return {.grid = values.choice(ocean_grid_axis()),
          .distribution = layout::distribution_named(distribution),
          .ranks_along_y =
              checked_along_y(values.integer(ranks_along_y_axis(0)), distribution, world.size()),
          .block = values.integer(block_axis()),
          .surface = {.solver = values.choice(solver_axis()),
                      .preconditioner = values.choice(preconditioner_axis()),
                      .sum = values.choice(sum_axis()),
                      .summation = values.choice(summation_axis()) == "plain"
                                       ? numerics::Summation::plain
                                       : numerics::Summation::reproducible,
                      .barriers = numerics::barriers_named(values.choice(barriers_axis()))},
          .solver_ranks = static_cast<int>(solver_ranks),
          .stop = iterations == 0 ? numerics::Stop{.tolerance = tolerance}
                                  : numerics::Stop{.iterations = iterations},
          .way = way_of(values, world)};
}

}  // namespace halocline::workload
