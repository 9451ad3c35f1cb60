#include "halocline/measure/preemption.hpp"

#include <sys/resource.h>

#include "halocline/mpi/compat/features.hpp"

namespace halocline::measure {

std::int64_t involuntary_switches() {
  if constexpr (mpi::simulated) {
    return 0;
  }
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);  // not the helper threads of the MPI library
  return usage.ru_nivcsw;
}

}  // namespace halocline::measure
