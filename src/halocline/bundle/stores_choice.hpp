#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "halocline/base/strided.hpp"
#include "halocline/base/units.hpp"
#include "halocline/base/workers.hpp"
#include "halocline/bundle/copies.hpp"

namespace halocline::bundle {

/// Less stays in the caches until it is read: in those of the cores that copy, and nearby.
inline constexpr std::size_t least_streamed_bytes = 2 * mebibyte;

/// The stores of an exchange's final copies: its way's, or cached where there is little to stream,
/// or those whose copies were faster in the first exchanges. How much the caches keep, and what it
/// costs to pass them, differs from machine to machine.
class StoresChoice {
 public:
  /// Each kind has a turn, then again. Of a turn's runs the first counts for nothing: it finds the
  /// caches as the other kind has left them.
  static constexpr int runs_of_turn = 3;
  static constexpr int most_runs = 18;
  /// Times this long are decided after one turn each: other work is a small part of them.
  static constexpr Seconds long_trial{0.02};

  /// `streamable_bytes` of all final copies of this rank.
  StoresChoice(std::optional<Stores> of_way, std::size_t streamable_bytes);

  bool settled() const { return settled_.has_value(); }
  /// Of the exchange that runs.
  Stores now() const;
  /// Makes final copies with them; notes how long that takes while both kinds are tried.
  void run(const Copies& copies, Workers& workers);
  /// The exchange is complete.
  void end_run() { ended(std::exchange(elapsed_, Seconds{0})); }
  /// Its final copies took this long.
  void ended(Seconds elapsed);

 private:
  std::optional<Stores> settled_;
  int runs_ = 0;
  Seconds elapsed_{0};
  Seconds tried_{0};
  Seconds least_streaming_{std::numeric_limits<double>::infinity()};
  Seconds least_cached_{std::numeric_limits<double>::infinity()};
};

}  // namespace halocline::bundle
