#include <algorithm>
#include <array>
#include <thread>

#include "halocline/base/words.hpp"
#include "halocline/workload/collective/loop.hpp"

namespace halocline::workload {

extern const Workload barrier;

namespace {

constexpr std::chrono::microseconds delay{200};  // of the rank that all others must wait for

class BarrierBase {
 public:
  static constexpr bool is_barrier = true;
  static Buffers buffers(const Task& /*task*/) { return {}; }

  explicit BarrierBase(const Task& task) : task_(task) {}

  void write(std::uint64_t seed) {
    const auto delayed = static_cast<int>(seed % task_.ranks());
    task_.clock->synchronise(task_.world);
    if (task_.world.rank() == delayed) {
      std::this_thread::sleep_for(delay);
    }
    entered_ = task_.clock->now();
  }

  /// No rank may leave before the last one has entered, as far as the clocks show.
  std::optional<std::string> difference(std::uint64_t /*seed*/) const {
    const Seconds left = task_.clock->now();
    const Seconds error = task_.clock->state().error;
    const std::vector<double> entered_s =
        task_.world.gather(std::array{(entered_ - error).count()});
    const std::vector<double> left_s = task_.world.gather(std::array{(left + error).count()});
    if (task_.world.rank() != 0) {
      return std::nullopt;
    }
    const auto last = std::ranges::max_element(entered_s);
    const auto first = std::ranges::min_element(left_s);
    if (*last <= *first) {
      return std::nullopt;
    }
    return "rank " + std::to_string(first - left_s.begin()) + " left the barrier " +
           number_text(*last - *first) + " s before rank " +
           std::to_string(last - entered_s.begin()) + " entered it";
  }

  std::size_t moved_bytes() const { return 0; }
  std::size_t off_node_bytes() const { return 0; }

 private:
  const Task& task_;
  Seconds entered_{0};
};

class FlatBarrier final : public BarrierBase {
 public:
  explicit FlatBarrier(const Task& task) : BarrierBase(task), all_(task.world) {}
  void run() { all_.barrier(); }

 private:
  mpi::Collectives all_;
};

class TwoLevelBarrier final : public BarrierBase {
 public:
  explicit TwoLevelBarrier(const Task& task) : BarrierBase(task), levels_(task) {}
  void run() {
    levels_.node().barrier();
    if (levels_.leads()) {
      levels_.leaders().barrier();
    }
    levels_.node().barrier();
  }

 private:
  Levels levels_;
};

}  // namespace

const Workload barrier{
    .name = "barrier",
    .summary = "every rank waits for all",
    .ranks_minimum = 2,
    .ranks_maximum = any_number_of_ranks,
    .over_protocols = false,
    .axes = {timing_axis(), structure_axis()},
    .prepare =
        [](const AxisValues& values, const mpi::Communicator& world) {
          return prepare_collective<FlatBarrier, TwoLevelBarrier>(values, 0, world);
        },
};

}  // namespace halocline::workload
