#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halocline/base/units.hpp"

namespace halocline::measure {

/// A part of an iteration, and this rank's work in one iteration of it.
struct Phase {
  std::string name;              // words separated by underscores, as metrics have them
  std::int64_t operations = 0;   // floating point
  std::size_t memory_bytes = 0;  // read or written, and not in the core's own caches beforehand
  std::size_t sent_bytes = 0;    // payload of its messages
  /// All that is passed over again and again while in the phase, which large caches can keep; 0 if
  /// memory_bytes come from memory.
  std::size_t resident_bytes = 0;
};

/// How long this rank spends in each phase. Reads the clock once per change.
class PhaseTimer {
 public:
  /// Throws std::invalid_argument if a name is empty or listed twice.
  explicit PhaseTimer(std::vector<Phase> phases);

  /// Ends the current phase, if any, and begins this one: an index into the phases, or their number
  /// for none. Returns the previous phase as such an index. Phases do not nest.
  std::size_t begin(std::size_t phase);

  /// Ends the current phase; what follows belongs to no phase.
  void end();

  /// Resets all times; no phase is current.
  void reset();

  /// Of all phases, in order, since the last reset; without the current one.
  std::span<const Seconds> elapsed() const;

  std::span<const Phase> phases() const { return phases_; }

  /// From now on a profiler sees the phases as regions with these names.
  void name_regions() { named_ = true; }

  /// From now on calls this at a change of phase when so much time has passed since the last call
  /// or reset: a preparation or an iteration that takes minutes is still running.
  void when_long(std::function<void()> alive, Seconds pause = Seconds{10.0}) {
    alive_ = std::move(alive);
    alive_pause_ = pause;
  }
  /// The same for timers created from now on in this process.
  static void new_timers_when_long(std::function<void()> alive, Seconds pause = Seconds{10.0});

  /// For loops that learn their work only while they run, such as the iterations of a solver. The
  /// values at the end of the last batch are reported.
  Phase& phase(std::size_t index) { return phases_.at(index); }

 private:
  std::vector<Phase> phases_;
  std::vector<Seconds> elapsed_;  // one more than phases: the time outside all of them
  std::size_t current_;
  Seconds since_{0};
  bool named_ = false;
  std::function<void()> alive_;
  Seconds alive_pause_{0};
  Seconds alive_at_{0};  // the last call or, since a reset, the first phase
};

/// In this phase during its lifetime, then again in the previous one.
class InPhase {
 public:
  InPhase(PhaseTimer& timer, std::size_t phase) : timer_(timer), before_(timer.begin(phase)) {}
  ~InPhase() { timer_.begin(before_); }
  InPhase(const InPhase&) = delete;
  InPhase& operator=(const InPhase&) = delete;

 private:
  PhaseTimer& timer_;
  std::size_t before_;
};

}  // namespace halocline::measure
