#pragma once

#include "profiler/handles.hpp"

namespace halocline::profiler {

/// Learns how many neighbours a communicator has in its topology, and which are not there.
void ask_neighbours(Communicator& communicator);

}  // namespace halocline::profiler
