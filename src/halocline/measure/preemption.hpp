#pragma once

#include <cstdint>

#include "halocline/base/units.hpp"

namespace halocline::measure {

/// Watches whether the kernel takes the processor from this thread, from construction on.
class Preemption {
 public:
  Preemption();

  /// Whether what took so long since then has measured the scheduler: the thread has lost the
  /// processor, for more than a hundredth of the time. Where the kernel does not tell for how long,
  /// any loss counts. Never in simulation.
  bool spoils(Seconds elapsed) const;

 private:
  std::int64_t switches_;  // involuntary ones so far
  Seconds lost_;           // ready to run, while another ran
};

}  // namespace halocline::measure
