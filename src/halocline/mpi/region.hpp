#pragma once

#include <string>

namespace halocline::mpi {

/// Names a part of the program to a profiler. Parts lie within one another; without a profiler
/// that listens to MPI_Pcontrol nothing happens.
void begin_region(const std::string& name);
void end_region(const std::string& name);

}  // namespace halocline::mpi
