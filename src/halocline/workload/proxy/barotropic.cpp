#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/base/words.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/numerics/barotropic_residual.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/ocean_depth.hpp"
#include "halocline/workload/micro/topology.hpp"
#include "halocline/workload/near.hpp"
#include "halocline/workload/proxy/ocean_picture.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"

namespace halocline::workload {

extern const Workload barotropic;

namespace {

using layout::Index;
using numerics::BlockVector;

constexpr int percent_of_memory = 40;

const IntegerAxis& solver_iterations_axis() {
  static const IntegerAxis axis = [] {
    IntegerAxis copy = ocean_iterations_axis();
    copy.defaults = {50};
    return copy;
  }();
  return axis;
}

/// Verified with one rank solving for all, so that the remap there and back is tried over every
/// protocol; `ocean` tries all protocols where each rank solves.
const IntegerAxis& verified_solver_ranks_axis() {
  static const IntegerAxis axis = [] {
    IntegerAxis copy = solver_ranks_axis();
    copy.verified = {1};
    return copy;
  }();
  return axis;
}

/// The implicit free surface of an ocean model: a linear system on the sphere, solved repeatedly.
class Barotropic final : public measure::TimedLoop {
 public:
  Barotropic(const OceanShape& shape, const mpi::Communicator& world)
      : world_(world),
        stop_(shape.stop),
        conjugate_(shape.surface.solver != "pcsi"),
        grid_(numerics::DisplacedPoleGrid::named(shape.grid)),
        mask_(numerics::OceanMask::of_earth(shape.grid)),
        fields_(ocean_blocks_of(shape, grid_, mask_, world.size()), world.rank(),
                [this](Index i, Index j) { return mask_.ocean(i, j); }),
        right_(fields_.zeros()),
        pressure_(fields_.zeros()),
        stages_(stages_of(shape)),
        phases_(phases_with(stages_)) {
    for (std::size_t place = 0; place < stages_.size(); ++place) {
      places_[static_cast<std::size_t>(stages_[place])] = place;
    }
    const numerics::SurfaceMethod method = surface_of(shape, grid_, mask_);
    require_reproducible(shape, method, fields_.blocks());
    const LargeVector<float> depth_m = numerics::ocean_depth_m(mask_, grid_);
    surface_ = std::make_unique<numerics::SurfaceSolver>(
        numerics::SurfaceParts{.grid = grid_,
                               .depth_m = depth_m,
                               .time_step = time_step_of(shape.grid),
                               .fields = fields_,
                               .method = method,
                               .ranks = world,
                               .way = shape.way,
                               .on_stage =
                                   [this](numerics::Stage stage) {
                                     phases_.begin(places_[static_cast<std::size_t>(stage)]);
                                   }},
        right_, pressure_);
    if (shape.solver_ranks > 0) {
      own_a_.emplace(grid_, depth_m, time_step_of(shape.grid), fields_);
    }
    phases_.end();
    write(0);
    solved_ = solve(stop_);
    if (shape.stop.tolerance > 0) {
      require_converged(solved_);
    }
    count();
  }

  void synchronise() override { world_.barrier(); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      solved_ = solve(stop_);
    }
  }

  /// The solver must find a known solution; where a number of iterations is measured, a few of them
  /// must be right.
  std::optional<std::string> verify(std::uint64_t seed) override {
    const std::optional<std::string> wrong = difference(seed);
    write(0);  // the system whose iterations are counted
    return wrong;
  }

  /// Iterations of the solver.
  std::int64_t traversals() const override { return solved_.iterations; }
  std::size_t moved_bytes() const override { return moved_bytes_; }
  std::int64_t operations() const override { return operations_; }
  measure::PhaseTimer* phases() override { return &phases_; }

  std::optional<measure::Picture> picture() override {
    measure::Picture picture;
    picture.owners = owners_of(fields_.blocks(), mask_);
    return picture;
  }

  std::vector<measure::Fact> facts() const override {
    return {
        {.name = "ocean_cells", .unit = "", .value = static_cast<double>(ocean_cells_)},
        {.name = "solver_iterations", .unit = "", .value = static_cast<double>(solved_.iterations)},
        {.name = "work_imbalance", .unit = "", .value = imbalance_}};
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return surface_->off_node_bytes(node_of_rank, solved_.iterations);
  }

 private:
  std::optional<std::string> difference(std::uint64_t seed) {
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

  static constexpr double allowed_error = 1e-3;
  static constexpr double allowed_departure = 1e-9;
  static constexpr double allowed_untruth = 0.01;
  static constexpr double allowed_product = 1e-8;
  static constexpr std::int64_t iterations_from_known = 3;
  static constexpr std::int64_t iterations_from_zero = 3;

  static std::vector<measure::Phase> phases_with(const std::vector<numerics::Stage>& stages) {
    std::vector<measure::Phase> phases;
    for (const numerics::Stage stage : stages) {
      phases.push_back({.name = std::string{stage_name(stage)}});
    }
    return phases;
  }

  /// For this rank's part of the ocean, even where others solve for it.
  const numerics::BarotropicOperator& a() const { return own_a_ ? *own_a_ : surface_->a(); }

  numerics::Solved solve(const numerics::Stop& stop) {
    std::ranges::fill(pressure_, 0.0);
    return iterate(stop);
  }

  numerics::Solved iterate(const numerics::Stop& stop) {
    surface_->meet();
    const numerics::Solved solved = surface_->solve(stop);
    phases_.end();
    return solved;
  }

  /// A wave of sea level that the seed selects, times gravity.
  double known_at(Index column, Index row, std::uint64_t seed) const {
    const auto place = grid_.position(static_cast<double>(column), static_cast<double>(row));
    const auto waves = static_cast<double>(1 + seed % 3);
    return numerics::earth::gravity_m_s2 *
           std::sin(3 * place.latitude + static_cast<double>(seed % 7)) *
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
    a().multiply_by_root_with_ghosts(known);
    a().apply(known, right_);
    a().multiply_by_root(right_);
  }

  /// This rank's deviation from the seed's solution, relative to its amplitude, if too large.
  std::optional<std::string> off_the_known(std::uint64_t seed, double allowed) const {
    double largest = 0;
    double amplitude = 0;
    each_cell(0, seed, [&](std::size_t at, double known) {
      const double off = std::abs(pressure_[at] - known);
      largest = off > largest || std::isnan(off) ? off : largest;  // NaN stays
      amplitude = std::max(amplitude, std::abs(known));
    });
    if (largest <= allowed * amplitude) {
      return std::nullopt;
    }
    return "rank " + std::to_string(world_.rank()) + " is off the known solution by up to " +
           number_text(largest) + " m²/s², allowed: " + number_text(allowed * amplitude);
  }

  /// A few iterations from zero must end with the residual that the solver reports and, with
  /// conjugate gradients, with it orthogonal to the corrections so far. Both are computed here
  /// without the solver's halos and sums.
  std::optional<std::string> wrong_iterations() {
    const numerics::Solved solved = solve({.iterations = iterations_from_zero});
    const auto [norm, product] = numerics::true_residual(a(), grid_, right_, pressure_, world_);
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

  /// Counts a solve, spread over its iterations.
  void count() {
    const std::int64_t iterations = solved_.iterations;
    const auto of_iteration = [&](std::size_t of_solve) {
      return of_solve / static_cast<std::size_t>(iterations);
    };
    std::int64_t operations = 0;
    std::size_t moved = 0;
    for (std::size_t place = 0; place < stages_.size(); ++place) {
      const auto amounts = surface_->amounts(stages_[place], iterations);
      measure::Phase& phase = phases_.phase(place);
      phase.operations = amounts.operations / iterations;
      phase.memory_bytes = of_iteration(amounts.memory_bytes);
      phase.sent_bytes = of_iteration(amounts.sent_bytes);
      phase.resident_bytes = amounts.resident_bytes;
      operations += phase.operations;
      moved += stages_[place] == numerics::Stage::global_sum ? 0 : phase.sent_bytes;
    }
    ocean_cells_ = over_all(fields_.ocean_cells(), world_);
    moved_bytes_ = static_cast<std::size_t>(over_all(static_cast<std::int64_t>(moved), world_));
    operations_ = over_all(operations, world_);
    imbalance_ = imbalance_of(surface_->a().fields().ocean_cells(), world_);
  }

  const mpi::Communicator& world_;
  numerics::Stop stop_;
  bool conjugate_;  // gradients: their result is optimal among its kind
  numerics::DisplacedPoleGrid grid_;
  numerics::OceanMask mask_;
  numerics::BlockFields fields_;
  BlockVector right_;
  BlockVector pressure_;
  std::vector<numerics::Stage> stages_;
  std::array<std::size_t, numerics::solver_stages> places_{};  // of stages among the phases
  measure::PhaseTimer phases_;
  std::unique_ptr<numerics::SurfaceSolver> surface_;
  std::optional<numerics::BarotropicOperator> own_a_;  // where some ranks solve for all
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
        "grid_y=0 and block=0: chosen by the ranks, iterations=0: until the tolerance, "
        "solver_ranks=0: all",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {ocean_grid_axis(), solver_axis(), preconditioner_axis(), sum_axis(), summation_axis(),
             distribution_axis(), ranks_along_y_axis(0), block_axis(), solver_iterations_axis(),
             tolerance_axis(), halo_near_axis(), verified_solver_ranks_axis(), barriers_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const OceanShape shape =
          ocean_shape_of(values, values.integer(solver_iterations_axis()), world);
      const auto grid = numerics::DisplacedPoleGrid::named(shape.grid);
      const auto cells = static_cast<double>(grid.columns() * grid.rows());
      require_grid_memory(
          grid, solver_bytes(shape, cells / world.size()) + subset_bytes(shape, grid, world),
          percent_of_memory, world);
      return std::make_unique<Barotropic>(shape, world);
    },
};

}  // namespace halocline::workload
