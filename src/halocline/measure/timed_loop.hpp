#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace halocline::measure {

/// Which ranks' clocks tell how long a batch took.
enum class TimedRanks { first, all };

/// What a workload offers to be timed. Every rank of the communicator has one and calls the same
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

  /// Untimed: exchanges the payload that `seed` names and checks every byte of it. Returns what was
  /// wrong at this rank, if anything.
  virtual std::optional<std::string> verify(std::uint64_t seed) = 0;

  /// Traversals of the route in one iteration: 2 for a round trip.
  virtual std::int64_t traversals() const = 0;

  /// Bytes that one traversal moves, over all ranks that move any.
  virtual std::size_t moved_bytes() const = 0;

  virtual TimedRanks timed_ranks() const = 0;
};

}  // namespace halocline::measure
