#pragma once

#include <memory>

#include "halocline/base/units.hpp"
#include "halocline/measure/shared_clock.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::measure {

/// Lets all ranks begin at one moment of their shared clock. Rank 0 chooses it so far ahead that
/// the last one has just been ready in time.
class AgreedStart {
 public:
  AgreedStart(const mpi::Communicator& communicator, std::shared_ptr<SharedClock> clock);

  /// Collective: agrees on the next start. Synchronises the clocks when due.
  void agree();

  /// Local: returns at that moment, or at once if it has passed.
  void await();

  /// Local: the time since that moment.
  Seconds elapsed() const { return clock_->now() - moment_; }

  /// How long after it await() returned.
  Seconds lateness() const { return lateness_; }

  /// What does not count as late: how often a waiting rank reads the clock.
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
  Seconds spare_{0};  // between being ready for the last moment and that moment
  Seconds lateness_{0};
  Seconds window_{0};  // rank 0: how far in the future the start is
  Seconds needed_{0};  // rank 0: how long the last rank has needed lately to be ready
};

}  // namespace halocline::measure
