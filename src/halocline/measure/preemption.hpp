#pragma once

#include <cstdint>

#include "halocline/base/units.hpp"

namespace halocline::measure {

/// Watches whether the kernel preempts this thread, from construction on.
class Preemption {
 public:
  Preemption();

  /// Whether a measurement of this length since then has measured the scheduler: the thread was
  /// preempted for over 1 % of the time. Where the kernel does not report for how long, any
  /// preemption counts. Never in simulation.
  bool spoils(Seconds elapsed) const;

 private:
  std::int64_t switches_;  // involuntary, so far
  Seconds lost_;           // ready to run while another thread ran
};

}  // namespace halocline::measure
