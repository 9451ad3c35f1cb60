#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/measure/clock.hpp"
#include "halocline/measure/clock_model.hpp"
#include "halocline/measure/timed_loop.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::measure {

/// One time for all ranks: that of rank 0's clock. The ranks of a node share a clock, which is
/// verified. Other clocks are compared by messages along a tree, and their drift is learnt from all
/// comparisons of the launch.
class SharedClock {
 public:
  using Clock = std::function<Seconds()>;

  /// Local; `clock` is this rank's own, which a test may falsify.
  explicit SharedClock(Clock clock = measure::now) : clock_(std::move(clock)) {}

  /// Collective, always over the same communicator: compares the clocks once more.
  void synchronise(const mpi::Communicator& communicator);

  /// Local: whether it is time to synchronise again. Every second, and more often until the drift
  /// is known.
  bool is_stale() const;

  /// The time that all ranks agree upon.
  Seconds now() const { return line_.there(clock_()); }

  /// The number of clocks; 0 before they were compared.
  int clocks() const { return static_cast<int>(keepers_.size()); }

  /// How this rank's own clock compares with rank 0's.
  ClockState state() const {
    const Seconds own = clock_();
    return {
        .offset = line_.there(own) - own, .residual = accuracy_.residual, .error = accuracy_.bound};
  }

 private:
  /// From this rank's clock to rank 0's, including all hops between.
  struct Accuracy {
    Seconds residual{0};
    Seconds bound{0};
  };
  struct Lesson {
    ClockLine line;
    Accuracy accuracy;
  };

  void find_keepers(const mpi::Communicator& communicator);
  void compare_keepers(const mpi::Communicator& communicator);
  void learn_from(const mpi::Communicator& communicator, int teacher);
  void share(const mpi::Communicator& communicator);
  std::vector<Glimpse> look(const mpi::Communicator& communicator, int peer, int times) const;
  void show(const mpi::Communicator& communicator, int peer, int times,
            const std::function<Seconds()>& time) const;

  Clock clock_;
  std::vector<int> keeper_of_rank_;  // the lowest rank that has the same clock
  std::vector<int> keepers_;
  ClockModel model_;
  ClockLine line_;
  Accuracy accuracy_;
  Seconds first_compared_{0};
  Seconds last_compared_{0};
};

}  // namespace halocline::measure
