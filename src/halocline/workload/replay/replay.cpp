#include "halocline/workload/memory_share.hpp"
#include "halocline/workload/replay/plan_file.hpp"
#include "halocline/workload/replay/replayed_calls.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

extern const Workload replay;

namespace {

constexpr int percent_for_replay = 75;

const FileAxis& plan_axis() {
  static const FileAxis axis{
      .name = "plan", .made_by = "halocline profile replay", .preset = example};
  return axis;
}

/// Repeats what a profiled program did: one iteration runs the plan once.
class Replaying final : public measure::TimedLoop {
 public:
  Replaying(const FilePlan& file, const mpi::Communicator& world, Pages pages)
      : world_(world),
        moved_bytes_(file.moved_bytes),
        calls_(file.plan, world.rank(), world.size()) {
    require_memory("the plan " + file.plan.file, static_cast<double>(calls_.needed_bytes()),
                   percent_for_replay, "more nodes or the profile of a smaller run", world);
    calls_.open(world, pages);
    calls_.agree_on_phases(world);
    calls_.write(0);
  }

  void synchronise() override { world_.barrier(); }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      calls_.run();
    }
  }

  /// A whole program is long enough, and the watchdog must be fed after each.
  std::int64_t most_iterations() const override { return 1; }

  std::optional<std::string> verify(std::uint64_t seed) override {
    calls_.write(seed);
    world_.barrier();
    calls_.run(true);
    return calls_.difference(seed);
  }

  measure::PhaseTimer* phases() override { return &calls_.phases(); }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return static_cast<std::size_t>(moved_bytes_); }

  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    std::size_t bytes = 0;
    const auto own = static_cast<std::size_t>(world_.rank());
    for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
      bytes += node_of_rank[rank] == node_of_rank[own] ? 0 : calls_.bytes_to_rank()[rank];
    }
    return bytes;
  }

  std::vector<int> timed_ranks() const override { return every_rank(world_.size()); }

 private:
  const mpi::Communicator& world_;
  std::int64_t moved_bytes_;
  ReplayedCalls calls_;
};

}  // namespace

const Workload replay{
    .name = "replay",
    .summary = "the calls, sizes and peers of a profiled program, without its computation",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .over_protocols = false,
    .axes = {plan_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const std::string& path = values.file(plan_axis());
      if (path == example) {
        return std::make_unique<Replaying>(example_plan(world.rank(), world.size()), world,
                                           values.pages());
      }
      const std::string text =
          world.broadcast(world.rank() == 0 ? text_of_plan(path) : std::string{});
      if (text.empty()) {
        throw Skip("the plan " + path + " cannot be read; copy it to rank 0's host");
      }
      return std::make_unique<Replaying>(parse_plan(path, text, world.rank(), world.size()), world,
                                         values.pages());
    },
};

}  // namespace halocline::workload
