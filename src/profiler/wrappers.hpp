#pragma once

namespace halocline::profiler {

/// The wrapper of a function by its number, and the one for calls out of MPI's Fortran libraries.
void* wrapper(int function);

}  // namespace halocline::profiler
