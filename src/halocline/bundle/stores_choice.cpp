#include "halocline/bundle/stores_choice.hpp"

#include <algorithm>
#include <chrono>

namespace halocline::bundle {

StoresChoice::StoresChoice(std::optional<Stores> of_way, std::size_t streamable_bytes)
    : settled_(of_way) {
  if (!settled_ && streamable_bytes < least_streamed_bytes) {
    settled_ = Stores::cached;
  }
}

Stores StoresChoice::now() const {
  const bool streaming = runs_ / runs_of_turn % 2 == 0;
  return settled_.value_or(streaming ? Stores::streaming : Stores::cached);
}

void StoresChoice::run(const Copies& copies, Workers& workers) {
  if (settled_) {
    return copies.run(workers, *settled_);
  }
  const auto begin = std::chrono::steady_clock::now();
  copies.run(workers, now());
  elapsed_ += std::chrono::steady_clock::now() - begin;
}

void StoresChoice::ended(Seconds elapsed) {
  if (settled_) {
    return;
  }
  if (runs_ % runs_of_turn != 0) {
    Seconds& least = now() == Stores::streaming ? least_streaming_ : least_cached_;
    least = std::min(least, elapsed);
  }
  tried_ += elapsed;
  ++runs_;
  const bool both = runs_ % (2 * runs_of_turn) == 0;
  if (runs_ == most_runs || (both && tried_ >= long_trial)) {
    settled_ = least_cached_ < least_streaming_ ? Stores::cached : Stores::streaming;
  }
}

}  // namespace halocline::bundle
