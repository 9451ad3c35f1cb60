#pragma once

#include "profiler/format.hpp"

namespace halocline::profiler {

/// What the process has had of processors until now.
Running running();

/// On which cores it may run.
void note_cores(Header& header);

}  // namespace halocline::profiler
