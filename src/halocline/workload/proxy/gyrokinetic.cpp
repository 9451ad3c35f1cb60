#include <numeric>

#include "halocline/base/words.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/numerics/gyro_model.hpp"
#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/near.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"

namespace halocline::workload {

extern const Workload gyrokinetic;

namespace {

using numerics::GyroGrid;
using numerics::GyroModel;
using numerics::GyroPhase;

constexpr int percent_for_plasma = 75;
constexpr int percent_if_shared = 40;  // half of a node's is what shared memory has by default

const ChoiceAxis& plasma_case_axis() {
  static const ChoiceAxis axis{.name = "case",
                               .choices = {"b1_std", "b3_gtc"},
                               .defaults = {"b1_std"},
                               .verified = {"b1_std"}};
  return axis;
}

/// 0 selects the case's own value.
IntegerAxis plasma_axis(std::string_view name, std::int64_t high, std::int64_t verified) {
  return {
      .name = name, .unit = "", .low = 0, .high = high, .defaults = {0}, .verified = {verified}};
}

const IntegerAxis& modes_axis() {
  static const IntegerAxis axis = plasma_axis("modes", 4096, 2);
  return axis;
}

const IntegerAxis& radii_axis() {
  static const IntegerAxis axis = plasma_axis("radii", 100'000, 6);
  return axis;
}

const IntegerAxis& pitch_angles_axis() {
  static const IntegerAxis axis = plasma_axis("pitch_angles", 1024, 3);
  return axis;
}

const IntegerAxis& energies_axis() {
  static const IntegerAxis axis = plasma_axis("energies", 1024, 3);
  return axis;
}

const IntegerAxis& orbit_points_axis() {
  static const IntegerAxis axis = plasma_axis("orbit_points", 1024, 3);
  return axis;
}

/// Each piece takes four redistributions, and each of these up to four communicators: its own, its
/// node's, and those of two windows. MPICH has 2048.
constexpr std::int64_t most_pieces = 100;

const IntegerAxis& transpose_pieces_axis() {
  static const IntegerAxis axis{.name = "pieces",
                                .unit = "",
                                .low = 1,
                                .high = most_pieces,
                                .defaults = {1},
                                .verified = {2}};
  return axis;
}

/// What is remembered of the benchmarks: the papers give only modes and steps.
GyroGrid plasma_grid(const AxisValues& values) {
  const bool b1 = values.choice(plasma_case_axis()) == "b1_std";
  const auto or_own = [&values](const IntegerAxis& axis, std::int64_t of_case) {
    const std::int64_t asked = values.integer(axis);
    return asked == 0 ? of_case : asked;
  };
  return {.modes = or_own(modes_axis(), b1 ? 16 : 64),
          .radii = or_own(radii_axis(), b1 ? 140 : 400),
          .pitch_angles = or_own(pitch_angles_axis(), 8),
          .energies = or_own(energies_axis(), 8),
          .orbit_points = or_own(orbit_points_axis(), 20)};
}

/// Throws Skip on all ranks if they do not form columns, or lack a line for each piece.
void require_columns(const GyroGrid& grid, std::int64_t pieces, int ranks) {
  if (ranks % grid.modes != 0) {
    const std::string modes = std::to_string(grid.modes);
    throw Skip("columns of " + modes + " ranks, one for each mode, cannot be made of " +
               std::to_string(ranks) + "; allowed: multiples of " + modes + "; choose --ranks " +
               modes + ", or modes=" + std::to_string(std::gcd(grid.modes, std::int64_t{ranks})));
  }
  if (const auto lines = numerics::GyroSharing(grid, ranks, 0).lines_each(); lines < pieces) {
    throw Skip("a rank has " + std::to_string(lines) +
               " lines, too few for pieces=" + std::to_string(pieces) + "; allowed: up to " +
               std::to_string(lines) + "; choose fewer pieces, or more orbit points");
  }
}

/// Time steps of a gyrokinetic model.
class Gyrokinetic final : public measure::TimedLoop {
 public:
  Gyrokinetic(const GyroGrid& grid, bool kinetic_electrons, int pieces, const bundle::Way& way,
              Pages pages, const mpi::Communicator& world)
      : world_(world),
        phases_({{.name = "bracket"},
                 {.name = "collisions"},
                 {.name = "stepping"},
                 {.name = "column_transpose"},
                 {.name = "row_transpose"}}),
        model_({.grid = grid,
                .kinetic_electrons = kinetic_electrons,
                .pieces = pieces,
                .way = way,
                .ranks = world,
                .pages = pages,
                .on_phase = [this](GyroPhase phase) {
                  phases_.begin(static_cast<std::size_t>(phase));
                }}) {
    count();
    model_.begin(0);
    first_squares_ = model_.squares();
    model_.step();
    checksum_ = model_.checksum();
    phases_.end();
  }

  /// Restarts from time to time, so that no long run becomes unphysical.
  void synchronise() override {
    if (steps_ >= steps_before_restart) {
      model_.begin(0);
      steps_ = 0;
    }
    world_.barrier();
  }

  void run(std::int64_t iterations) override {
    for (std::int64_t step = 0; step < iterations; ++step) {
      model_.step();
      ++steps_;
    }
    phases_.end();
  }

  /// Earlier steps must have left padding 0 and not raised f². Transposes must bring every number
  /// to its place and back. The bracket must conserve the integrals of f and f² and equal the sum
  /// of products that it represents. Collisions must conserve particles and not raise f².
  std::optional<std::string> verify(std::uint64_t seed) override {
    const std::uint64_t not_zero = model_.not_zero_in_padding();
    const double squares = model_.squares();
    const auto of_transposes = model_.wrong_transpose(seed);
    model_.begin(seed);
    const auto of_bracket = model_.wrong_bracket(seed);
    const auto of_collisions = model_.wrong_collisions();
    model_.begin(0);
    steps_ = 0;
    phases_.end();
    for (const auto& wrong : {of_transposes, of_bracket, of_collisions}) {
      if (wrong) {
        return "rank " + std::to_string(world_.rank()) + ": " + *wrong;
      }
    }
    if (not_zero > 0) {
      return std::to_string(not_zero) + " numbers in the padding are not 0";
    }
    if (!(squares <= first_squares_ * (1 + allowed_growth))) {
      return "steps have raised the sum of f² from " + number_text(first_squares_) + " to " +
             number_text(squares);
    }
    return std::nullopt;
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return moved_bytes_; }
  std::int64_t operations() const override { return operations_; }
  measure::PhaseTimer* phases() override { return &phases_; }

  std::vector<measure::Fact> facts() const override {
    const numerics::GyroSharing& sharing = model_.sharing();
    const auto line_bytes = static_cast<double>(sharing.grid().radii) * sizeof(GyroModel::Complex);
    return {{.name = "row_ranks", .unit = "", .value = static_cast<double>(sharing.row_ranks())},
            {.name = "column_block",
             .unit = "B",
             .value = static_cast<double>(sharing.lines_each()) * line_bytes},
            measure::checksum_fact(checksum_)};
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return model_.off_node_bytes(node_of_rank);
  }

 private:
  static constexpr int steps_before_restart = 500;  // the length of B1-std
  static constexpr double allowed_growth = 1e-12;

  measure::Phase& phase(GyroPhase which) { return phases_.phase(static_cast<std::size_t>(which)); }

  void count() {
    phase(GyroPhase::bracket).operations = model_.bracket_operations();
    phase(GyroPhase::collisions).operations = model_.collision_operations();
    phase(GyroPhase::column_transpose).sent_bytes = model_.column_bytes();
    phase(GyroPhase::row_transpose).sent_bytes = model_.row_bytes();
    moved_bytes_ = world_.sum(model_.column_bytes() + model_.row_bytes());
    operations_ = static_cast<std::int64_t>(world_.sum(
        static_cast<std::uint64_t>(model_.bracket_operations() + model_.collision_operations())));
  }

  const mpi::Communicator& world_;
  measure::PhaseTimer phases_;
  GyroModel model_;
  int steps_ = 0;
  double first_squares_ = 0;
  std::uint64_t checksum_ = 0;  // after the first step
  std::size_t moved_bytes_ = 0;
  std::int64_t operations_ = 0;
};

}  // namespace

const Workload gyrokinetic{
    .name = "gyrokinetic",
    .summary =
        "a step of the plasma model GYRO's nonlinear part: transposes on columns and rows of "
        "ranks, Poisson brackets, collisions; sizes of 0: the case's own",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {plasma_case_axis(), modes_axis(), radii_axis(), pitch_angles_axis(), energies_axis(),
             orbit_points_axis(), transpose_pieces_axis(), halo_near_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const GyroGrid grid = plasma_grid(values);
      const std::int64_t pieces = values.integer(transpose_pieces_axis());
      const bool kinetic_electrons = values.choice(plasma_case_axis()) == "b1_std";
      const bundle::Way way = way_of(values, world);
      require_columns(grid, pieces, world.size());
      require_memory("a grid of " + std::to_string(grid.modes) + " x " +
                         std::to_string(grid.radii) + " x " + std::to_string(grid.pitch_angles) +
                         " x " + std::to_string(grid.energies) + " x " +
                         std::to_string(grid.orbit_points) + " points",
                     GyroModel::bytes_of(grid, kinetic_electrons, way.near, world.size()),
                     way.near == bundle::Near::shared ? percent_if_shared : percent_for_plasma,
                     "a smaller grid or more nodes", world);
      return std::make_unique<Gyrokinetic>(grid, kinetic_electrons, static_cast<int>(pieces), way,
                                           values.pages(), world);
    },
};

}  // namespace halocline::workload
