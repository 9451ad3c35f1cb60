#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/measure/picture.hpp"
#include "halocline/route/pairs.hpp"

namespace halocline::measure {

/// How a rank's clock compares with the one that sets the agreed moment; all 0 if it is that one.
struct ClockState {
  Seconds offset{0};    // the estimated difference of the two
  Seconds residual{0};  // its error as measured right after the comparison
  Seconds error{0};     // the bound on its error then
};

/// A number that a case reports next to its times, the same in all launches.
struct Fact {
  std::string name;
  std::string unit;  // as metrics have it; empty for a count
  double value;
};

/// As many bits of a checksum as a number in a sample holds exactly.
inline Fact checksum_fact(std::uint64_t checksum) {
  constexpr std::uint64_t exact_in_double = 0xFFFF'FFFFU;
  return {.name = "checksum", .unit = "", .value = static_cast<double>(checksum & exact_in_double)};
}

class PhaseTimer;

/// What a workload offers for timing. Every rank of the communicator has one and calls the same
/// members in the same order.
class TimedLoop {
 public:
  TimedLoop() = default;
  virtual ~TimedLoop() = default;
  TimedLoop(const TimedLoop&) = delete;
  TimedLoop& operator=(const TimedLoop&) = delete;

  /// Untimed, before each batch: returns on a timed rank when the others are ready to begin.
  virtual void synchronise() = 0;

  /// The timed part.
  virtual void run(std::int64_t iterations) = 0;

  /// Runs it and returns its time by this rank's clock. For loops that know better when they began.
  virtual Seconds time(std::int64_t iterations);

  /// The maximum number of iterations in a batch.
  virtual std::int64_t most_iterations() const { return std::numeric_limits<std::int64_t>::max(); }

  /// Whether later iterations are alike: it has been found what is faster. Collective.
  virtual bool settled() const { return true; }

  /// Whether a preempted rank invalidates a batch.
  virtual bool preemption_spoils() const { return true; }

  /// How long after the agreed moment this rank began the last batch; 0 where none is agreed.
  virtual Seconds lateness() const { return Seconds{0}; }

  /// Batches that the last rank began later than this are not counted.
  virtual Seconds lateness_allowed() const { return Seconds{0}; }

  /// How well this rank knows the agreed moment.
  virtual ClockState clock_state() const { return {}; }

  /// Untimed: exchanges the payload that `seed` selects and checks every byte. Returns what was
  /// wrong on this rank, if anything.
  virtual std::optional<std::string> verify(std::uint64_t seed) = 0;

  /// Traversals of the route in one iteration: 2 for a round trip.
  virtual std::int64_t traversals() const = 0;

  /// Bytes that one traversal moves, over all ranks.
  virtual std::size_t moved_bytes() const = 0;

  /// Floating-point operations of one traversal, over all ranks.
  virtual std::int64_t operations() const { return 0; }

  /// Other facts that the case reports; called once, on rank 0.
  virtual std::vector<Fact> facts() const { return {}; }

  /// The state of the model after the last batch, on rank 0; empty where no picture exists.
  /// Collective, untimed.
  virtual std::optional<Picture> picture() { return std::nullopt; }

  /// How long each part of an iteration takes on this rank; null where it has no parts. All ranks
  /// have the same phases, timed or not, and one iteration of such a loop is one traversal.
  virtual PhaseTimer* phases() { return nullptr; }

  /// The ranks whose clocks time a batch; the same on all ranks.
  virtual std::vector<int> timed_ranks() const { return {0}; }

  /// The pairs of ranks that communicate, each independent of the others; the same on all ranks. A
  /// pair's timed ranks time it.
  virtual std::vector<route::Pair> pairs() const { return {}; }

  /// Payload that this rank certainly sends to other nodes in one iteration: the least that the
  /// interfaces must show.
  virtual std::size_t off_node_bytes(std::span<const int> /*node_of_rank*/) const { return 0; }
};

}  // namespace halocline::measure
