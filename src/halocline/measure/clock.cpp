#include "halocline/measure/clock.hpp"

#include <algorithm>
#include <chrono>

#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/environment.hpp"

namespace halocline::measure {

Seconds now() {
  if constexpr (mpi::simulated) {
    return Seconds{mpi::wall_time_s()};
  } else {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
}

std::string_view clock_name() { return mpi::simulated ? "simulated time" : "CLOCK_MONOTONIC"; }

Seconds clock_cost() {
  constexpr int readings = 1000;
  Seconds smallest{1};
  for (int reading = 0; reading < readings; ++reading) {
    const Seconds before = now();
    smallest = std::min(smallest, now() - before);
  }
  return smallest;
}

}  // namespace halocline::measure
