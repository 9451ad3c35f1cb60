#pragma once

#include "profiler/process.hpp"

namespace halocline::profiler {

/// The wrapper of MPI_Pcontrol: 1 and a name begin a region, -1 and the name end it.
Word region_wrapper(Word target);

}  // namespace halocline::profiler
