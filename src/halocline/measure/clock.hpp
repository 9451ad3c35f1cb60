#pragma once

#include <string_view>

#include "halocline/base/units.hpp"

namespace halocline::measure {

/// The one clock of all samples. On a real machine CLOCK_MONOTONIC, which the ranks of a node share
/// (MPI_Wtime drifts between them in some libraries); in simulation the simulated time.
Seconds now();

std::string_view clock_name();

/// The cost of reading the clock: the smallest of many differences between two readings.
Seconds clock_cost();

}  // namespace halocline::measure
