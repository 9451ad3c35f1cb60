#pragma once

#include <string>

namespace halocline::mpi {

/// Names a part of the program for a profiler. Parts nest; without a profiler that intercepts
/// MPI_Pcontrol nothing happens.
void begin_region(const std::string& name);
void end_region(const std::string& name);

}  // namespace halocline::mpi
