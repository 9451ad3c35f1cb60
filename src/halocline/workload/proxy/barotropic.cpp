#include <algorithm>
#include <cmath>

#include "halocline/base/words.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/numerics/barotropic_residual.hpp"
#include "halocline/numerics/ocean_depth.hpp"
#include "halocline/workload/near.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"

namespace halocline::workload {

extern const Workload barotropic;

namespace {

using layout::Index;
using numerics::BlockVector;

constexpr double vector_bytes = 20 * sizeof(double);  // of a cell, weights and solver's together
constexpr int percent_of_memory = 40;

const IntegerAxis& solver_iterations_axis() {
  static const IntegerAxis axis{.name = "iterations",
                                .unit = "iterations",
                                .low = 0,
                                .high = 100'000,
                                .defaults = {50},
                                .verified = {2}};
  return axis;
}

/// The implicit free surface of an ocean model: a linear system on the sphere, solved again and
/// again.
class Barotropic final : public measure::TimedLoop {
 public:
  Barotropic(const OceanShape& shape, const mpi::Communicator& world)
      : world_(world),
        stop_(shape.stop),
        conjugate_(shape.solver != "pcsi"),
        grid_(numerics::DisplacedPoleGrid::named(shape.grid)),
        mask_(numerics::OceanMask::of_earth(shape.grid)),
        fields_(ocean_blocks_of(shape, grid_, mask_, world.size()), world.rank(),
                [this](Index i, Index j) { return mask_.ocean(i, j); }),
        a_(grid_, numerics::ocean_depth_m(mask_, grid_), time_step_of(shape.grid), fields_),
        right_(fields_.zeros()),
        pressure_(fields_.zeros()),
        preconditioner_(numerics::Preconditioner::named(shape.preconditioner, a_)),
        phases_(phases_with(preconditioner_ != nullptr)) {
    require_reproducible(shape, fields_);
    sum_ = numerics::GlobalSum::named(shape.sum, world, most_summed);
    solver_ = numerics::BarotropicSolver::named(
        shape.solver,
        {.a = a_,
         .ranks = world,
         .way = shape.way,
         .sum = *sum_,
         .summation = shape.summation,
         .preconditioner = preconditioner_.get(),
         .on_stage = [this](numerics::Stage stage) { phases_.begin(phase_of(stage)); }});
    phases_.end();
    write(0);
    solved_ = solve(stop_);
    if (shape.stop.tolerance > 0 && !solved_.converged) {
      throw Skip("the solver has not converged after " + std::to_string(solved_.iterations) +
                 " iterations: its residual is " + std::to_string(solved_.residual) +
                 "; choose another solver or tolerance");
    }
    count();
  }

  void synchronise() override { world_.barrier(); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      solve(stop_);
    }
  }

  /// A solution that is known must be found; where a number of iterations is measured, a few of
  /// them must be right.
  std::optional<std::string> verify(std::uint64_t seed) override {
    write(seed);
    if (stop_.tolerance > 0) {
      const numerics::Solved solved = solve({.tolerance = 1e-13});
      return solved.converged ? off_the_known(seed, allowed_error)
                              : "the solver has not converged after " +
                                    std::to_string(solved.iterations) + " iterations";
    }
    std::ranges::fill(pressure_, 0.0);
    each_cell(0, seed, [this](std::size_t at, double known) { pressure_[at] = known; });
    iterate({.iterations = iterations_from_known});
    const std::optional<std::string> departed = off_the_known(seed, allowed_departure);
    const std::optional<std::string> wrong = wrong_iterations();  // collective
    return departed ? departed : wrong;
  }

  /// Iterations of the solver.
  std::int64_t traversals() const override { return solved_.iterations; }
  std::size_t moved_bytes() const override { return moved_bytes_; }
  std::int64_t operations() const override { return operations_; }
  measure::PhaseTimer* phases() override { return &phases_; }

  std::vector<measure::Fact> facts() const override {
    return {
        {.name = "ocean_cells", .unit = "", .value = static_cast<double>(ocean_cells_)},
        {.name = "solver_iterations", .unit = "", .value = static_cast<double>(solved_.iterations)},
        {.name = "work_imbalance", .unit = "", .value = imbalance_}};
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return solver_->solution().off_node_bytes(node_of_rank) *
           static_cast<std::size_t>(solver_->work(solved_.iterations).halos);
  }

 private:
  static constexpr double allowed_error = 1e-3;
  static constexpr double allowed_departure = 1e-9;
  static constexpr double allowed_untruth = 0.01;
  static constexpr double allowed_product = 1e-8;
  static constexpr std::int64_t iterations_from_known = 3;
  static constexpr std::int64_t iterations_from_zero = 3;

  static std::size_t phase_of(numerics::Stage stage) {
    switch (stage) {
      case numerics::Stage::stencil:
        return 0;
      case numerics::Stage::halo:
        return 1;
      case numerics::Stage::global_sum:
        return 2;
      case numerics::Stage::preconditioner:
        return 4;
      default:
        return 3;
    }
  }

  static std::vector<measure::Phase> phases_with(bool preconditioner) {
    std::vector<measure::Phase> phases{
        {.name = "operator"}, {.name = "halo"}, {.name = "global_sum"}, {.name = "vectors"}};
    if (preconditioner) {
      phases.push_back({.name = "preconditioner"});
    }
    return phases;
  }

  numerics::Solved solve(const numerics::Stop& stop) {
    std::ranges::fill(pressure_, 0.0);
    return iterate(stop);
  }

  numerics::Solved iterate(const numerics::Stop& stop) {
    const numerics::Solved solved = solver_->solve(right_, pressure_, stop);
    phases_.end();
    return solved;
  }

  /// A wave of sea level that the seed names, times gravity.
  double known_at(Index column, Index row, std::uint64_t seed) const {
    const auto place = grid_.position(static_cast<double>(column), static_cast<double>(row));
    const auto waves = static_cast<double>(1 + seed % 3);
    return numerics::gravity_m_s2 * std::sin(3 * place.latitude + static_cast<double>(seed % 7)) *
           std::cos(waves * place.longitude + place.latitude);
  }

  /// Calls visit(at, known) for the ocean's cells of this rank, and of a ring of ghost cells.
  template <class Visit>
  void each_cell(Index ring, std::uint64_t seed, Visit visit) const {
    for (std::size_t part = 0; part < fields_.parts().size(); ++part) {
      const layout::Box box = fields_.parts()[part].local.widened(0, ring).widened(1, ring);
      for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
        for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
          if (mask_.ocean(i, j)) {
            visit(fields_.at(part, i, j), known_at(i, j, seed));
          }
        }
      }
    }
  }

  /// The right-hand side whose solution is the seed's, computed without a halo update.
  void write(std::uint64_t seed) {
    BlockVector known = fields_.zeros();
    each_cell(1, seed, [&](std::size_t at, double value) { known[at] = value; });
    a_.multiply_by_root_with_ghosts(known);
    a_.apply(known, right_);
    a_.multiply_by_root(right_);
  }

  /// How far this rank is from the seed's solution, relative to its amplitude, if too far.
  std::optional<std::string> off_the_known(std::uint64_t seed, double allowed) const {
    double largest = 0;
    double amplitude = 0;
    each_cell(0, seed, [&](std::size_t at, double known) {
      largest = std::max(largest, std::abs(pressure_[at] - known));
      amplitude = std::max(amplitude, std::abs(known));
    });
    if (largest <= allowed * amplitude) {
      return std::nullopt;
    }
    return "rank " + std::to_string(world_.rank()) + " is off the known solution by up to " +
           number_text(largest) + " m²/s², allowed: " + number_text(allowed * amplitude);
  }

  /// A few iterations from zero must end with the residual that the solver says, and, of conjugate
  /// gradients, where it is orthogonal to what they have found. Both are found here without the
  /// solver's halos and sums.
  std::optional<std::string> wrong_iterations() {
    const numerics::Solved solved = solve({.iterations = iterations_from_zero});
    const auto [norm, product] = numerics::true_residual(a_, grid_, right_, pressure_, world_);
    if (!(std::abs(solved.residual - norm) <= allowed_untruth * norm)) {
      return "the solver says a residual of " + number_text(solved.residual) + ", it is " +
             number_text(norm);
    }
    if (conjugate_ && !(product <= allowed_product)) {
      return "the residual is not orthogonal to what the solver has found: their product is " +
             number_text(product) + " of its terms', allowed: " + number_text(allowed_product);
    }
    return std::nullopt;
  }

  /// Of a solve, spread over its iterations.
  void count() {
    const std::int64_t iterations = solved_.iterations;
    const auto of_iteration = [&](std::int64_t of_solve) { return of_solve / iterations; };
    const numerics::SolverWork work = solver_->work(iterations);
    const std::int64_t own = fields_.ocean_cells();
    measure::Phase& stencil = phases_.phase(0);
    stencil.operations = of_iteration(work.applications * a_.operations());
    stencil.memory_bytes = static_cast<std::size_t>(
        of_iteration(work.applications * static_cast<std::int64_t>(a_.memory_bytes())));
    const auto halo_bytes = static_cast<std::int64_t>(solver_->solution().sent_bytes());
    phases_.phase(1).sent_bytes = static_cast<std::size_t>(of_iteration(work.halos * halo_bytes));
    if (world_.size() > 1) {
      phases_.phase(2).sent_bytes = static_cast<std::size_t>(
          of_iteration(static_cast<std::int64_t>(solver_->summed_bytes(iterations))));
    }
    measure::Phase& vectors = phases_.phase(3);
    vectors.operations = of_iteration(own * work.vector_operations);
    vectors.memory_bytes =
        static_cast<std::size_t>(of_iteration(own * work.vectors_touched)) * sizeof(double);
    std::int64_t operations = stencil.operations + vectors.operations;
    if (preconditioner_) {
      measure::Phase& preconditioner = phases_.phase(4);
      preconditioner.operations =
          of_iteration(work.preconditionings * preconditioner_->operations());
      preconditioner.memory_bytes = static_cast<std::size_t>(of_iteration(
          work.preconditionings * static_cast<std::int64_t>(preconditioner_->memory_bytes())));
      operations += preconditioner.operations;
    }
    ocean_cells_ = over_all(own, world_);
    moved_bytes_ = static_cast<std::size_t>(
        over_all(static_cast<std::int64_t>(phases_.phase(1).sent_bytes), world_));
    operations_ = over_all(operations, world_);
    imbalance_ = imbalance_of(own, world_);
  }

  const mpi::Communicator& world_;
  numerics::Stop stop_;
  bool conjugate_;  // gradients: what they find is the best of its kind
  numerics::DisplacedPoleGrid grid_;
  numerics::OceanMask mask_;
  numerics::BlockFields fields_;
  numerics::BarotropicOperator a_;
  BlockVector right_;
  BlockVector pressure_;
  std::unique_ptr<numerics::Preconditioner> preconditioner_;  // null: the diagonal's
  measure::PhaseTimer phases_;
  std::unique_ptr<numerics::GlobalSum> sum_;
  std::unique_ptr<numerics::BarotropicSolver> solver_;
  numerics::Solved solved_{};
  std::int64_t ocean_cells_ = 0;
  std::size_t moved_bytes_ = 0;
  std::int64_t operations_ = 0;
  double imbalance_ = 1;
};

}  // namespace

const Workload barotropic{
    .name = "barotropic",
    .summary =
        "the implicit free surface of the ocean model POP: conjugate gradients on the true coasts; "
        "block=0: chosen by the ranks, iterations=0: until the tolerance",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {ocean_grid_axis(), solver_axis(), preconditioner_axis(), sum_axis(), summation_axis(),
             distribution_axis(), block_axis(), solver_iterations_axis(), tolerance_axis(),
             halo_near_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const OceanShape shape =
          ocean_shape_of(values, values.integer(solver_iterations_axis()), world);
      const auto grid = numerics::DisplacedPoleGrid::named(shape.grid);
      const auto cells = static_cast<double>(grid.columns() * grid.rows());
      require_grid_memory(
          grid, (cells * vector_bytes + preconditioner_bytes(shape, cells)) / world.size(),
          percent_of_memory, world);
      return std::make_unique<Barotropic>(shape, world);
    },
};

}  // namespace halocline::workload
