#include "halocline/bundle/stores_choice.hpp"

#include <algorithm>

namespace halocline::bundle {

StoresChoice::StoresChoice(std::optional<Stores> of_way, std::size_t bytes) : settled_(of_way) {
  if (!settled_ && bytes < least_streamed_bytes) {
    settled_ = Stores::cached;
  }
}

Stores StoresChoice::next() const {
  const bool streaming = runs_ / runs_of_turn % 2 == 0;
  return settled_.value_or(streaming ? Stores::streaming : Stores::cached);
}

void StoresChoice::ran(Seconds elapsed) {
  if (settled_) {
    return;
  }
  if (runs_ % runs_of_turn != 0) {
    Seconds& least = next() == Stores::streaming ? least_streaming_ : least_cached_;
    least = std::min(least, elapsed);
  }
  if (++runs_ == runs) {
    settled_ = least_cached_ < least_streaming_ ? Stores::cached : Stores::streaming;
  }
}

}  // namespace halocline::bundle
