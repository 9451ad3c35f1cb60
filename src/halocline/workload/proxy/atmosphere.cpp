#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/base/words.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/numerics/atmosphere_model.hpp"
#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/kernel/loop.hpp"
#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/near.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"

namespace halocline::workload {

extern const Workload atmosphere;

namespace {

using numerics::AirCore;
using numerics::AtmosphereModel;
using numerics::AtmospherePhase;
using numerics::AtmosphereShape;

constexpr int percent_for_atmosphere = 75;

const ChoiceAxis& core_axis() {
  static const ChoiceAxis axis{.name = "core",
                               .choices = {"spectral", "finite_volume"},
                               .defaults = {"spectral"},
                               .verified = {"spectral", "finite_volume"}};
  return axis;
}

const IntegerAxis& air_truncation_axis() {
  static const IntegerAxis axis{.name = "truncation",
                                .unit = "",
                                .low = 5,
                                .high = 340,
                                .defaults = {85},
                                .only = numerics::SpectralGrid::truncations(),
                                .verified = {21}};
  return axis;
}

const IntegerAxis& air_latitudes_axis() {
  static const IntegerAxis axis{
      .name = "latitudes", .unit = "", .low = 6, .high = 2881, .defaults = {361}, .verified = {51}};
  return axis;
}

const IntegerAxis& air_levels_axis() {
  static const IntegerAxis axis{
      .name = "levels", .unit = "", .low = 2, .high = 200, .defaults = {26}, .verified = {4}};
  return axis;
}

const ChoiceAxis& balance_axis() {
  static const ChoiceAxis axis{.name = "balance",
                               .choices = {"none", "within_process", "twin", "wrapped", "sorted"},
                               .defaults = {"twin"},
                               .verified = {"twin"}};
  return axis;
}

const IntegerAxis& dynamics_ranks_axis() {
  static const IntegerAxis axis{.name = "dynamics_ranks",
                                .unit = "ranks",
                                .low = 0,
                                .high = any_number_of_ranks,
                                .defaults = {0}};
  return axis;
}

const IntegerAxis& dynamics_stride_axis() {
  static const IntegerAxis axis{
      .name = "stride", .unit = "ranks", .low = 1, .high = 1024, .defaults = {1}};
  return axis;
}

const IntegerAxis& along_longitude_axis() {
  static const IntegerAxis axis{
      .name = "along_longitude", .unit = "ranks", .low = 1, .high = 1024, .defaults = {1}};
  return axis;
}

const IntegerAxis& along_vertical_axis() {
  static const IntegerAxis axis{
      .name = "along_vertical", .unit = "ranks", .low = 1, .high = 64, .defaults = {1}};
  return axis;
}

constexpr std::string_view as_remaps = "same";

/// For the transposes and halos inside the dynamics.
const ChoiceAxis& dynamics_protocol_axis() {
  static const ChoiceAxis axis = [] {
    ChoiceAxis made{.name = "dynamics_protocol",
                    .choices = {as_remaps},
                    .defaults = {as_remaps},
                    .verified = {as_remaps}};
    for (const std::string_view name : protocol::names()) {
      made.choices.push_back(name);
    }
    return made;
  }();
  return axis;
}

/// Null: the protocol of the remaps. Throws Skip where the library lacks what it needs.
const protocol::Protocol* dynamics_protocol_of(const AxisValues& values) {
  const std::string_view name = values.choice(dynamics_protocol_axis());
  if (name == as_remaps) {
    return nullptr;
  }
  const protocol::Protocol& chosen = protocol::find(name);
  if (const std::string lacking = protocol::missing(chosen); !lacking.empty()) {
    throw Skip(lacking);
  }
  return &chosen;
}

/// Ranks of a node that copy send no messages, except inside the spectral dynamics. Throws Skip on
/// all ranks for protocols that would only repeat the measurement of another.
void require_acting_protocols(const AxisValues& values, const mpi::Communicator& world) {
  const bool apart = values.choice(dynamics_protocol_axis()) != as_remaps;
  const bool spectral = values.choice(core_axis()) == "spectral";
  if ((spectral && !apart) || !sends_nothing(near_of(values, halo_near_axis()), world)) {
    return;
  }
  require_first_protocol(values);
  if (apart && !spectral) {
    throw Skip(
        "all ranks share a node and send no messages, so dynamics_protocol has no effect with "
        "core=finite_volume; choose dynamics_protocol=same or near=messages");
  }
}

const IntegerAxis& hour_axis() {
  static const IntegerAxis axis{
      .name = "hour", .unit = "h", .low = 0, .high = 23, .defaults = {12}};
  return axis;
}

/// Whether an axis of the other core has the value that stands for all of them.
bool stands_for_all(const IntegerAxis& axis, std::int64_t value, bool verify_only) {
  const auto& standing = verify_only ? axis.verified : axis.defaults;
  return std::ranges::find(standing, value) != standing.end() ||
         std::ranges::find(axis.defaults, value) != axis.defaults.end();
}

/// One core's axis would measure the same again under another name with the other core: one value
/// stands for all, so that one experiment may have both cores.
void require_own_axes(const AxisValues& values) {
  const std::string core{values.choice(core_axis())};
  const bool spectral = core == "spectral";
  const auto others = spectral ? std::array{&air_latitudes_axis(), &along_vertical_axis()}
                               : std::array{&air_truncation_axis(), &along_longitude_axis()};
  const auto* const other = std::ranges::find_if(others, [&values](const IntegerAxis* axis) {
    return !stands_for_all(*axis, values.integer(*axis), values.setting().verify_only);
  });
  if (other == others.end()) {
    return;
  }
  const std::string name{(*other)->name};
  const std::string preset = std::to_string((*other)->defaults.front());
  throw Skip(name + "=" + std::to_string(values.integer(**other)) + " with core=" + core +
             ", which ignores it; allowed: " + preset + "; choose " + name + "=" + preset +
             " or core=" + (spectral ? "finite_volume" : "spectral"));
}

AtmosphereShape atmosphere_shape_of(const AxisValues& values, const mpi::Communicator& world) {
  const auto stride = static_cast<int>(values.integer(dynamics_stride_axis()));
  const auto chosen = static_cast<int>(values.integer(dynamics_ranks_axis()));
  return {
      .truncation = static_cast<int>(values.integer(air_truncation_axis())),
      .levels = static_cast<int>(values.integer(air_levels_axis())),
      .balance = numerics::balance_named(values.choice(balance_axis())),
      .dynamics_ranks = chosen > 0 ? chosen : (world.size() - 1) / stride + 1,
      .stride = stride,
      .along_longitude = static_cast<int>(values.integer(along_longitude_axis())),
      .hour = static_cast<double>(values.integer(hour_axis())),
      .way = {.protocol = &values.protocol(), .near = near_of(values, halo_near_axis())},
      .core = values.choice(core_axis()) == "spectral" ? AirCore::spectral : AirCore::finite_volume,
      .latitudes = static_cast<int>(values.integer(air_latitudes_axis())),
      .along_vertical = static_cast<int>(values.integer(along_vertical_axis())),
      .dynamics_protocol = dynamics_protocol_of(values)};
}

std::string grid_text(const AtmosphereShape& shape) {
  return (shape.core == AirCore::spectral ? "truncation " + std::to_string(shape.truncation)
                                          : std::to_string(shape.latitudes) + " latitudes") +
         " with " + std::to_string(shape.levels) + " levels";
}

/// The phases of a core, in the order of a step.
std::vector<AtmospherePhase> phases_of(AirCore core) {
  if (core == AirCore::spectral) {
    return {AtmospherePhase::dynamics, AtmospherePhase::transposes, AtmospherePhase::remap_out,
            AtmospherePhase::physics, AtmospherePhase::remap_back};
  }
  return {AtmospherePhase::dynamics,   AtmospherePhase::halos,          AtmospherePhase::transport,
          AtmospherePhase::transposes, AtmospherePhase::vertical_remap, AtmospherePhase::remap_out,
          AtmospherePhase::physics,    AtmospherePhase::remap_back};
}

std::string_view name_of(AtmospherePhase phase) {
  switch (phase) {
    case AtmospherePhase::dynamics:
      return "dynamics";
    case AtmospherePhase::transposes:
      return "transposes";
    case AtmospherePhase::remap_out:
      return "remap_out";
    case AtmospherePhase::physics:
      return "physics";
    case AtmospherePhase::remap_back:
      return "remap_back";
    case AtmospherePhase::halos:
      return "halos";
    case AtmospherePhase::transport:
      return "transport";
    case AtmospherePhase::vertical_remap:
      return "vertical_remap";
  }
  return "";
}

std::vector<measure::Phase> timed_phases_of(AirCore core) {
  std::vector<measure::Phase> phases;
  for (const AtmospherePhase phase : phases_of(core)) {
    phases.push_back({.name = std::string{name_of(phase)}});
  }
  return phases;
}

/// Time steps of an atmosphere model.
class Atmosphere final : public measure::TimedLoop {
 public:
  Atmosphere(const AtmosphereShape& shape, const mpi::Communicator& world, Pages pages)
      : world_(world),
        parts_(phases_of(shape.core)),
        phases_(timed_phases_of(shape.core)),
        model_(shape, world, pages,
               [this](AtmospherePhase phase) { phases_.begin(place_of(phase)); }) {
    count();
    checksum_ = sum_of_steps();
    begin_anew();
  }

  /// Restarts from time to time, so that no long run becomes unphysical.
  void synchronise() override {
    if (steps_ >= steps_before_restart) {
      begin_anew();
    }
    world_.barrier();
  }

  void run(std::int64_t iterations) override {
    for (std::int64_t step = 0; step < iterations; ++step) {
      model_.step();
    }
    steps_ += iterations;
    phases_.end();
  }

  /// What was timed must have ended with numbers. Columns must arrive in the physics and return as
  /// they were sent. The physics must conserve the tracers' masses, the dynamics the air's and
  /// those of tracers that they carry. Steps from the same initial state must end with the same
  /// bits.
  std::optional<std::string> verify(std::uint64_t seed) override {
    const bool finite = model_.finite();
    const std::int64_t steps = steps_;
    const std::int64_t changed = model_.changed_on_the_way(seed);
    model_.begin();
    model_.run_dynamics();  // so that there is air to weigh, and a wind to carry it
    const std::vector<double> kept = model_.kept();
    model_.run_dynamics();
    const std::vector<double> kept_after = model_.kept();
    const std::vector<double> before = model_.tracer_masses();
    model_.remap_out();
    model_.run_physics();
    model_.remap_back();
    const std::vector<double> after = model_.tracer_masses();
    const std::uint64_t checksum = sum_of_steps();
    begin_anew();
    const std::string rank = "rank " + std::to_string(world_.rank()) + ": ";
    if (!finite) {
      return rank + "values that are not numbers after " + std::to_string(steps) + " steps";
    }
    if (changed > 0) {
      return rank + std::to_string(changed) +
             " values changed on their way to the physics, within the dynamics or back";
    }
    for (std::size_t index = 0; index < before.size(); ++index) {
      if (!(std::abs(after[index] / before[index] - 1) <= allowed_loss)) {
        return rank + "a column's tracer has changed by " +
               number_text(after[index] / before[index] - 1) + " of its mass";
      }
    }
    for (std::size_t index = 0; index < kept.size(); ++index) {
      if (!(std::abs(kept_after[index] / kept[index] - 1) <= allowed_loss)) {
        return rank + (index == 0 ? "the air's mass" : "a carried tracer's mass") +
               " has changed by " + number_text(kept_after[index] / kept[index] - 1) + " of it";
      }
    }
    if (checksum != checksum_) {
      return rank + "other bits than at first from the same beginning";
    }
    return std::nullopt;
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return moved_bytes_; }
  std::int64_t operations() const override { return operations_; }
  measure::PhaseTimer* phases() override { return &phases_; }

  std::vector<measure::Fact> facts() const override {
    constexpr double seconds_per_day = 86'400;
    return {{.name = "imbalance", .unit = "", .value = imbalance_},
            {.name = "steps_per_day",
             .unit = "",
             .value = seconds_per_day / model_.time_step().count()},
            {.name = "lit_columns", .unit = "", .value = static_cast<double>(lit_columns_)},
            measure::checksum_fact(checksum_)};
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return model_.off_node_bytes(node_of_rank);
  }

 private:
  static constexpr double allowed_loss = 1e-13;
  static constexpr int steps_of_sum = 2;
  static constexpr std::int64_t steps_before_restart = 500;

  std::size_t place_of(AtmospherePhase phase) const {
    return static_cast<std::size_t>(std::ranges::find(parts_, phase) - parts_.begin());
  }

  void begin_anew() {
    model_.begin();
    steps_ = 0;
    phases_.end();
  }

  std::uint64_t sum_of_steps() {
    model_.begin();
    for (int step = 0; step < steps_of_sum; ++step) {
      model_.step();
    }
    return model_.checksum();
  }

  void count() {
    std::size_t sent_bytes = 0;
    for (const AtmospherePhase part : parts_) {
      const numerics::AirWork work = model_.work_of(part);
      phases_.phase(place_of(part)).operations = work.operations;
      phases_.phase(place_of(part)).sent_bytes = work.sent_bytes;
      sent_bytes += work.sent_bytes;
    }
    moved_bytes_ = world_.sum(sent_bytes);
    operations_ = over_all(model_.physics_operations() + model_.dynamics_operations(), world_);
    imbalance_ = imbalance_of(static_cast<std::int64_t>(model_.cost()), world_);
    lit_columns_ = world_.sum(model_.lit_columns());
  }

  const mpi::Communicator& world_;
  std::vector<AtmospherePhase> parts_;
  measure::PhaseTimer phases_;
  AtmosphereModel model_;
  std::uint64_t checksum_ = 0;
  std::int64_t steps_ = 0;
  std::size_t moved_bytes_ = 0;
  std::int64_t operations_ = 0;
  double imbalance_ = 1;
  std::uint64_t lit_columns_ = 0;
};

}  // namespace

const Workload atmosphere{
    .name = "atmosphere",
    .summary =
        "a step of an atmosphere model as CAM's: spectral or finite-volume dynamics of rows of "
        "latitudes, physics of columns that are dealt to balance their load, remaps between them; "
        "dynamics_ranks=0: all, stride apart; dynamics_protocol=same: as the remaps",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = {core_axis(), air_truncation_axis(), air_latitudes_axis(), air_levels_axis(),
             balance_axis(), dynamics_ranks_axis(), dynamics_stride_axis(), along_longitude_axis(),
             along_vertical_axis(), hour_axis(), dynamics_protocol_axis(), halo_near_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      require_real_machine();
      require_own_axes(values);
      require_acting_protocols(values, world);
      const AtmosphereShape shape = atmosphere_shape_of(values, world);
      require_memory(grid_text(shape), AtmosphereModel::bytes(shape, world.size()),
                     percent_for_atmosphere, "a smaller grid, fewer levels or more nodes", world);
      return std::make_unique<Atmosphere>(shape, world, values.pages());
    },
};

}  // namespace halocline::workload
