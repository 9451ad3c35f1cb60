#include <algorithm>
#include <array>

#include "halocline/base/words.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/numerics/ocean_model.hpp"
#include "halocline/workload/micro/topology.hpp"
#include "halocline/workload/near.hpp"
#include "halocline/workload/proxy/ocean_picture.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"

namespace halocline::workload {

extern const Workload ocean;

namespace {

using numerics::OceanModel;
using numerics::OceanPhase;

constexpr int percent_for_ocean = 75;
constexpr layout::Index largest_block_cells = 96;  // larger ones contain more land

const IntegerAxis& ocean_levels_axis() {
  static const IntegerAxis axis{
      .name = "levels", .unit = "", .low = 1, .high = 200, .defaults = {40}, .verified = {3}};
  return axis;
}

/// Time steps of an ocean model.
class Ocean final : public measure::TimedLoop {
 public:
  Ocean(const OceanShape& shape, std::int64_t levels, const mpi::Communicator& world)
      : world_(world),
        time_step_(time_step_of(shape.grid)),
        grid_(numerics::DisplacedPoleGrid::named(shape.grid)),
        mask_(numerics::OceanMask::of_earth(shape.grid)),
        thickness_m_(numerics::level_thickness_m(levels)),
        depth_m_(numerics::depth_in_levels_m(mask_, grid_, thickness_m_)),
        fields_(ocean_blocks_of(shape, grid_, mask_, world.size(), largest_block_cells),
                world.rank(),
                [this](layout::Index i, layout::Index j) { return mask_.ocean(i, j); }),
        stages_(stages_of(shape)),
        phases_(phases_with(stages_)) {
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      places_[index_of(numerics::ocean_phase_of(stages_[stage]))] = baroclinic_phases + stage;
    }
    const numerics::SurfaceMethod surface = surface_of(shape, grid_, mask_);
    require_reproducible(shape, surface, fields_.blocks());
    require_grid_memory(
        grid_,
        OceanModel::bytes_of(fields_.parts(), levels) +
            (shape.solver_ranks > 0
                 ? subset_bytes(shape, grid_, world)
                 : preconditioner_bytes(shape, static_cast<double>(fields_.zeros().size()))),
        percent_for_ocean, world);
    model_ = std::make_unique<OceanModel>(numerics::OceanParts{
        .grid = grid_,
        .depth_m = depth_m_,
        .thickness_m = thickness_m_,
        .fields = fields_,
        .time_step = time_step_,
        .surface = surface,
        .ranks = world,
        .way = shape.way,
        .on_phase = [this](OceanPhase phase) { phases_.begin(places_[index_of(phase)]); }});
    phases_.end();
    stop_ = fixed(shape.stop);
    count();
    model_->begin(0);
    if (shape.surface.summation == numerics::Summation::reproducible) {
      model_->step(stop_);
      checksum_ = model_->checksum();
    }
    phases_.end();
  }

  /// Restarts from time to time, so that no long run becomes unphysical.
  void synchronise() override {
    if (steps_ >= steps_before_restart) {
      model_->begin(0);
      steps_ = 0;
    }
    world_.barrier();
  }

  void run(std::int64_t iterations) override {
    for (std::int64_t step = 0; step < iterations; ++step) {
      model_->step(stop_);
      ++steps_;
    }
    phases_.end();
  }

  /// Halos must match their owners' cells. Steps must conserve water, heat and salt, keep uniform
  /// salt uniform, and end with velocities that move the surface as the barotropic solver says.
  std::optional<std::string> verify(std::uint64_t seed) override {
    model_->begin(seed);
    model_->forget_ghosts();
    model_->update_halos();
    const std::int64_t departed = model_->departures(seed);
    model_->begin(seed, uniform_salinity);
    const numerics::OceanAccount before = model_->account();
    const numerics::Stop few{.iterations = std::min(stop_.iterations, most_verified)};
    const numerics::Solved solved = model_->step(few);
    const double off = model_->continuity_error();
    model_->step(few);
    const numerics::OceanAccount after = model_->account();
    phases_.end();
    steps_ = steps_before_restart;
    const std::string rank = "rank " + std::to_string(world_.rank()) + ": ";
    if (departed > 0) {
      return rank + std::to_string(departed) +
             " cells differ from their owners' after a halo update";
    }
    if (!(std::abs(off - solved.residual) <= allowed_untruth * solved.residual)) {
      return rank + "velocities and surface are off the equation of continuity by " +
             number_text(off) + ", the solver says " + number_text(solved.residual);
    }
    for (const auto& [what, one, other] : {std::tuple{"volume", before.volume_m3, after.volume_m3},
                                           std::tuple{"heat", before.heat, after.heat},
                                           std::tuple{"salt", before.salt, after.salt}}) {
      if (!(std::abs(other / one - 1) <= allowed_loss)) {
        return rank + "the ocean's " + what + " has changed by " + number_text(other / one - 1) +
               " of it, allowed: " + number_text(allowed_loss);
      }
    }
    if (!(after.saltiest - after.least_salty <= allowed_loss * uniform_salinity)) {
      return rank + "salt that was the same everywhere differs by " +
             number_text(after.saltiest - after.least_salty) + " g/kg";
    }
    return std::nullopt;
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return moved_bytes_; }
  std::int64_t operations() const override { return operations_; }
  measure::PhaseTimer* phases() override { return &phases_; }

  std::optional<measure::Picture> picture() override {
    return measure::Picture{.model_time = steps_ * time_step_,
                            .rows = numerics::SphereMap::rows,
                            .columns = numerics::SphereMap::columns,
                            .maps = ocean_maps(*model_, grid_, mask_, world_),
                            .owners = owners_of(fields_.blocks(), mask_)};
  }

  std::vector<measure::Fact> facts() const override {
    std::vector<measure::Fact> facts{
        {.name = "ocean_cells", .unit = "", .value = static_cast<double>(ocean_cells_)},
        {.name = "solver_iterations", .unit = "", .value = static_cast<double>(stop_.iterations)},
        {.name = "steps_per_day", .unit = "", .value = seconds_per_day / time_step_.count()},
        {.name = "work_imbalance", .unit = "", .value = imbalance_}};
    if (checksum_) {
      facts.push_back(measure::checksum_fact(*checksum_));
    }
    return facts;
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return model_->off_node_bytes(node_of_rank, stop_.iterations);
  }

 private:
  static constexpr double allowed_loss = 1e-12;
  static constexpr double allowed_untruth = 1e-6;
  static constexpr double uniform_salinity = 35;
  static constexpr double seconds_per_day = 86'400;
  static constexpr std::size_t baroclinic_phases = 3;
  static constexpr int steps_of_trial = 3;
  static constexpr int steps_before_restart = 500;
  static constexpr std::int64_t most_verified = 20;  // iterations: residual still above rounding

  static std::vector<measure::Phase> phases_with(const std::vector<numerics::Stage>& stages) {
    std::vector<measure::Phase> phases{{.name = "baroclinic_tracers"},
                                       {.name = "baroclinic_momentum"},
                                       {.name = "baroclinic_halo"}};
    for (const numerics::Stage stage : stages) {
      const std::string_view name =
          stage == numerics::Stage::global_sum ? "sum" : stage_name(stage);
      phases.push_back({.name = "barotropic_" + std::string{name}});
    }
    return phases;
  }

  static constexpr std::size_t index_of(OceanPhase phase) {
    return static_cast<std::size_t>(phase);
  }

  /// The same number of iterations in every step, so that all steps do equal work: as many as the
  /// first few steps need to reach the tolerance.
  numerics::Stop fixed(const numerics::Stop& asked) {
    if (asked.tolerance == 0) {
      return asked;
    }
    model_->begin(0);
    std::int64_t most = 0;
    for (int step = 0; step < steps_of_trial; ++step) {
      const numerics::Solved solved = model_->step(asked);
      require_converged(solved);
      most = std::max(most, solved.iterations);
    }
    phases_.end();
    return {.iterations = most};
  }

  measure::Phase& phase(OceanPhase which) { return phases_.phase(places_[index_of(which)]); }

  void count() {
    const OceanModel::Work work = model_->work();
    measure::Phase& tracers = phase(OceanPhase::tracers);
    tracers.operations = work.tracer_operations;
    tracers.memory_bytes = work.tracer_bytes;
    measure::Phase& momentum = phase(OceanPhase::momentum);
    momentum.operations = work.momentum_operations;
    momentum.memory_bytes = work.momentum_bytes;
    phase(OceanPhase::halo).sent_bytes = work.halo_bytes;
    std::size_t moved = work.halo_bytes + work.surface_halo_bytes;
    for (const numerics::Stage stage : stages_) {
      const auto amounts = model_->surface().amounts(stage, stop_.iterations);
      measure::Phase& solving = phase(numerics::ocean_phase_of(stage));
      solving.operations = amounts.operations;
      solving.memory_bytes = amounts.memory_bytes;
      solving.resident_bytes = amounts.resident_bytes;
      solving.sent_bytes = amounts.sent_bytes;
      moved += stage == numerics::Stage::global_sum ? 0 : amounts.sent_bytes;
    }
    phase(OceanPhase::solver_halo).sent_bytes += work.surface_halo_bytes;
    ocean_cells_ = over_all(work.ocean_cells, world_);
    moved_bytes_ = static_cast<std::size_t>(over_all(static_cast<std::int64_t>(moved), world_));
    operations_ = over_all(work.tracer_operations + work.momentum_operations +
                               model_->surface().operations(stop_.iterations),
                           world_);
    imbalance_ = imbalance_of(work.ocean_cells, world_);
  }

  const mpi::Communicator& world_;
  Seconds time_step_;
  numerics::DisplacedPoleGrid grid_;
  numerics::OceanMask mask_;
  std::vector<double> thickness_m_;
  LargeVector<float> depth_m_;
  numerics::BlockFields fields_;
  std::vector<numerics::Stage> stages_;
  std::array<std::size_t, numerics::ocean_phases> places_{0, 1, 2};  // among the phases
  measure::PhaseTimer phases_;
  std::unique_ptr<OceanModel> model_;
  numerics::Stop stop_;
  int steps_ = 0;
  std::optional<std::uint64_t> checksum_;  // after the first step, where sums are reproducible
  std::int64_t ocean_cells_ = 0;
  std::size_t moved_bytes_ = 0;
  std::int64_t operations_ = 0;
  double imbalance_ = 1;
};

}  // namespace

const Workload ocean{
    .name = "ocean",
    .summary =
        "a step of an ocean model as POP's: advection and mixing at all levels, halos two cells "
        "wide, then the free surface; grid_y=0 and block=0: chosen by the ranks, iterations=0: as "
        "many as the tolerance takes, solver_ranks=0: all",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {ocean_grid_axis(), ocean_levels_axis(), solver_axis(), preconditioner_axis(),
             sum_axis(), summation_axis(), distribution_axis(), ranks_along_y_axis(0), block_axis(),
             ocean_iterations_axis(), tolerance_axis(), halo_near_axis(), solver_ranks_axis(),
             barriers_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const OceanShape shape =
          ocean_shape_of(values, values.integer(ocean_iterations_axis()), world);
      const std::int64_t levels = values.integer(ocean_levels_axis());
      return std::make_unique<Ocean>(shape, levels, world);
    },
};

}  // namespace halocline::workload
