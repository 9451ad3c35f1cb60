#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halocline/base/units.hpp"

namespace halocline::measure {

/// A part of an iteration, and what this rank does in it in one iteration.
struct Phase {
  std::string name;              // words separated by underscores, as metrics have them
  std::int64_t operations = 0;   // floating point
  std::size_t memory_bytes = 0;  // read or written that no cache holds from before
  std::size_t sent_bytes = 0;    // payload of its messages
};

/// How long this rank is in each phase. Reads the clock once a change.
class PhaseTimer {
 public:
  /// Throws std::invalid_argument if a name is empty or listed twice.
  explicit PhaseTimer(std::vector<Phase> phases);

  /// Ends the phase under way, if any, and begins this one: an index into the phases, or their
  /// number for none. Returns what was under way, as such an index. Phases do not nest.
  std::size_t begin(std::size_t phase);

  /// Ends the phase under way; what follows belongs to no phase.
  void end();

  /// Forgets all times; no phase is under way.
  void reset();

  /// Of all phases, in their order, since the last reset; without the one under way.
  std::span<const Seconds> elapsed() const;

  std::span<const Phase> phases() const { return phases_; }

  /// From now on a profiler knows the phases as regions of these names.
  void name_regions() { named_ = true; }

  /// For loops that learn how much they do while they run, such as how many iterations a solver
  /// takes. What is set at the end of the last batch is reported.
  Phase& phase(std::size_t index) { return phases_.at(index); }

 private:
  std::vector<Phase> phases_;
  std::vector<Seconds> elapsed_;  // one more than phases: the time in none
  std::size_t current_;
  Seconds since_{0};
  bool named_ = false;
};

/// In this phase as long as it lives, then again in what was under way before.
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
