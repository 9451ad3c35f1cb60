#pragma once

#include "profiler/format.hpp"

namespace halocline::profiler {

/// The process's use of processors so far.
Running running();

/// Records the cores on which the process may run.
void note_cores(Header& header);

}  // namespace halocline::profiler
