#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "halocline/base/strided.hpp"
#include "halocline/base/units.hpp"

namespace halocline::bundle {

/// Less stays in the caches until it is read: in those of the cores that copy, and nearby.
inline constexpr std::size_t least_streamed_bytes = 2 * mebibyte;

/// The stores of an exchange's final copies: its way's, or cached where there is little to copy, or
/// those that were faster in its first runs. How much the caches keep, and what it costs to pass
/// them, differs from machine to machine.
class StoresChoice {
 public:
  /// Turns of each kind, with both kinds in turn; of a turn's runs the first counts for nothing: it
  /// finds the caches as the other kind has left them.
  static constexpr int turns = 3;
  static constexpr int runs_of_turn = 3;
  static constexpr int runs = 2 * turns * runs_of_turn;  // then it is settled

  /// `bytes` of all final copies of this rank.
  StoresChoice(std::optional<Stores> of_way, std::size_t bytes);

  bool settled() const { return settled_.has_value(); }
  int runs_left() const { return settled_ ? 0 : runs - runs_; }
  /// Of the next run.
  Stores next() const;
  /// Notes how long that took, without what the program did meanwhile.
  void ran(Seconds elapsed);

 private:
  std::optional<Stores> settled_;
  int runs_ = 0;
  Seconds least_streaming_{std::numeric_limits<double>::infinity()};
  Seconds least_cached_{std::numeric_limits<double>::infinity()};
};

}  // namespace halocline::bundle
