#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/base/words.hpp"
#include "halocline/coupling/coupled_model.hpp"
#include "halocline/coupling/model_files.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/workload/kernel/loop.hpp"
#include "halocline/workload/proxy/coupled_setup.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"

namespace halocline::workload {

extern const Workload coupled;

namespace {

using coupling::Component;
using coupling::CoupledModel;

std::vector<measure::Phase> coupled_phases() {
  std::vector<measure::Phase> phases;
  for (const std::string suffix : {"_run", "_wait"}) {
    for (const std::string_view component : coupling::component_names) {
      phases.push_back({.name = std::string{component} + suffix});
    }
  }
  phases.push_back({.name = "coupling"});
  phases.push_back({.name = "files"});
  return phases;
}

/// Days of a coupled model, repeated from its initial state or a checkpoint.
class Coupled final : public measure::TimedLoop {
 public:
  Coupled(const CoupledCase& asked, const mpi::Communicator& world, Pages pages)
      : world_(world),
        case_(asked),
        earth_(asked, world),
        phases_(coupled_phases()),
        model_(earth_.shape(pages), world, [this](std::size_t phase) { phases_.begin(phase); }),
        files_(model_, std::string{asked.grid}) {}

  /// Runs the first interval. Returns why this case cannot be measured, empty if it can: a model
  /// that is left by an error frees no communicator.
  std::string try_out() {
    try {
      if (case_.writes) {
        files_.require_writable(case_.folder);
      }
      begin();
    } catch (const Error& error) {
      return error.what();
    }
    if (first_ >= case_.intervals) {
      return case_.restart + " was written at the end of interval " + std::to_string(first_) +
             ", the model ends after interval " + std::to_string(case_.intervals) +
             "; allowed: an earlier checkpoint; choose one, or more days";
    }
    model_.advance();
    add_interval();
    count(case_.intervals - first_);  // until a run has ended
    begin();
    return "";
  }

  void synchronise() override {
    compare_end();
    begin();
    world_.barrier();
  }

  void run(std::int64_t /*iterations*/) override {
    while (model_.intervals() < case_.intervals) {
      write_files();
      model_.advance();
      add_interval();
    }
    write_files();
    phases_.end();
    at_end_ = true;
  }

  /// Days are long enough, and the watchdog must be fed after each.
  std::int64_t most_iterations() const override { return 1; }

  /// What one component sends in a coupling another must receive; a model that continues from its
  /// checkpoint must reproduce the bits; and each run must end with those of the first.
  std::optional<std::string> verify(std::uint64_t /*seed*/) override {
    const std::string rank = "rank " + std::to_string(world_.rank()) + ": ";
    compare_end();
    begin();
    model_.advance();
    std::vector<std::vector<double>> saved;
    for (const coupling::Stored& stored : model_.stored()) {
      saved.push_back(stored.save());
    }
    const std::int64_t intervals = model_.intervals();
    model_.advance();
    const std::uint64_t through = model_.checksum();
    const std::vector<coupling::PassedFlux> passed = model_.passed();
    std::size_t next = 0;
    for (const coupling::Stored& stored : model_.stored()) {
      stored.load(saved[next++]);
    }
    model_.resume(intervals);
    model_.advance();
    const bool same = model_.checksum() == through;
    begin();
    const auto lost = std::ranges::find_if(passed, [](const coupling::PassedFlux& flux) {
      return !(std::abs(flux.sent - flux.received) <= allowed_loss * flux.absolute);
    });
    if (lost != passed.end()) {
      return rank + "the coupler passed " + number_text(lost->sent) + " of " + lost->name + ", " +
             number_text(lost->received) + " arrived";
    }
    if (other_end_) {
      return rank + "other bits at the end of a run than of the first";
    }
    return same ? std::nullopt : std::optional(rank + "other bits after a restart");
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return moved_bytes_; }
  std::int64_t operations() const override { return operations_; }
  measure::PhaseTimer* phases() override { return &phases_; }

  std::vector<measure::Fact> facts() const override {
    const auto days = static_cast<double>(case_.intervals - first_) /
                      static_cast<double>(case_.couplings_per_day);
    std::vector<measure::Fact> facts{{.name = "steps_per_day", .unit = "", .value = 1 / days}};
    for (std::size_t component = 0; component < coupling::component_count; ++component) {
      facts.push_back({.name = std::string{coupling::component_names[component]} + "_ranks",
                       .unit = "",
                       .value = static_cast<double>(model_.shape().sharing[component].count)});
    }
    if (checksum_) {
      facts.push_back(measure::checksum_fact(*checksum_));
    }
    return facts;
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return static_cast<std::size_t>(case_.intervals - first_) * model_.off_node_bytes(node_of_rank);
  }

 private:
  static constexpr double allowed_loss = 1e-12;

  struct Work {
    std::int64_t operations = 0;
    std::size_t sent_bytes = 0;
  };

  void begin() {
    model_.begin();
    if (case_.restart != no_restart) {
      files_.load(case_.restart);
    }
    first_ = model_.intervals();
    work_ = {};
    at_end_ = false;
    phases_.end();
  }

  /// After a run: what it took, and whether it ended as the first one did.
  void compare_end() {
    if (at_end_) {
      count(1);
      const std::uint64_t checksum = model_.checksum();
      other_end_ = other_end_ || checksum != checksum_.value_or(checksum);
      checksum_ = checksum_.value_or(checksum);
    }
  }

  /// At the beginning, in the middle and at the end; a checkpoint in the middle.
  void write_files() {
    if (!case_.writes) {
      return;
    }
    const std::int64_t now = model_.intervals();
    const std::int64_t middle = case_.intervals / 2;
    phases_.begin(coupling::phase::files);
    if (now == 0) {
      files_.write_history(case_.folder / "beginning.nc");
    } else if (now == case_.intervals) {
      files_.write_history(case_.folder / "end.nc");
    } else if (now == middle && now > first_) {
      files_.write_history(case_.folder / "middle.nc");
      files_.save(case_.folder / "checkpoint.nc");
    }
  }

  /// Of the components: their iterations and the sun differ from interval to interval.
  void add_interval() {
    for (std::size_t component = 0; component < coupling::component_count; ++component) {
      work_[component].operations += model_.operations(static_cast<Component>(component));
      work_[component].sent_bytes += model_.sent_bytes(static_cast<Component>(component));
    }
  }

  /// A run whose components have taken so many times the work so far.
  void count(std::int64_t times) {
    const std::int64_t intervals = case_.intervals - first_;
    std::int64_t operations = intervals * model_.coupling_operations();
    std::size_t sent_bytes = static_cast<std::size_t>(intervals) * model_.coupling_bytes();
    measure::Phase& exchange = phases_.phase(coupling::phase::coupling);
    exchange.operations = operations;
    exchange.sent_bytes = sent_bytes;
    for (std::size_t component = 0; component < coupling::component_count; ++component) {
      measure::Phase& phase = phases_.phase(coupling::phase::run + component);
      phase.operations = times * work_[component].operations;
      phase.sent_bytes = static_cast<std::size_t>(times) * work_[component].sent_bytes;
      operations += phase.operations;
      sent_bytes += phase.sent_bytes;
    }
    moved_bytes_ = world_.sum(sent_bytes);
    operations_ = over_all(operations, world_);
  }

  const mpi::Communicator& world_;
  CoupledCase case_;
  CoupledEarth earth_;
  measure::PhaseTimer phases_;
  CoupledModel model_;
  coupling::ModelFiles files_;
  std::int64_t first_ = 0;  // intervals that had passed at the beginning
  std::array<Work, coupling::component_count> work_{};  // of this rank since then
  bool at_end_ = false;
  bool other_end_ = false;                 // a run ended with other bits than the first
  std::optional<std::uint64_t> checksum_;  // at the end of the first
  std::size_t moved_bytes_ = 0;
  std::int64_t operations_ = 0;
};

}  // namespace

const Workload coupled{
    .name = "coupled",
    .summary =
        "days of atmosphere, ocean, land and sea ice, each on its own grid, time step and ranks, "
        "that exchange heat, water and momentum through a coupler as CESM's do; ranks of 0: by "
        "the arrangement, iterations=0: as many as the tolerance takes",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .axes = coupled_axes(),
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      require_real_machine();
      auto model = std::make_unique<Coupled>(coupled_case_of(values, world), world, values.pages());
      if (const std::string lacking = model->try_out(); !lacking.empty()) {
        model.reset();
        throw Skip(lacking);
      }
      return model;
    },
};

}  // namespace halocline::workload
