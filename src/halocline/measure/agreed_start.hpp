#pragma once

#include <memory>

#include "halocline/base/units.hpp"
#include "halocline/measure/shared_clock.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::measure {

/// Lets all ranks begin at one moment of their shared clock. Rank 0 chooses it far enough ahead
/// that the last rank is just ready in time.
class AgreedStart {
 public:
  AgreedStart(const mpi::Communicator& communicator, std::shared_ptr<SharedClock> clock);

  /// Collective: agrees on the next start. Synchronises the clocks when due.
  void agree();

  /// Local: returns at that moment, or at once if it has passed.
  void await();

  /// Local: the time since that moment.
  Seconds elapsed() const { return clock_->now() - moment_; }

  /// How long after that moment await() returned.
  Seconds lateness() const { return lateness_; }

  /// Lateness that does not count: how often a waiting rank reads the clock.
  Seconds lateness_allowed() const { return lateness_allowed_; }

  ClockState clock_state() const { return clock_->state(); }

 private:
  struct Choice {
    Seconds moment{0};
    bool synchronises = false;  // first
  };

  void broadcast(Choice& choice) const;

  const mpi::Communicator& communicator_;
  std::shared_ptr<SharedClock> clock_;
  Seconds lateness_allowed_;
  Seconds moment_{0};
  Seconds spare_{0};  // from being ready for the last moment until that moment
  Seconds lateness_{0};
  Seconds window_{0};  // rank 0: how far in the future the start is
  Seconds needed_{0};  // rank 0: recent time until the last rank was ready
};

}  // namespace halocline::measure
