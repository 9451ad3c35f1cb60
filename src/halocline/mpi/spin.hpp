#pragma once

#include <sched.h>

#include <cstdint>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Polls until `done()`, which reads memory. Progresses MPI meanwhile, because the peer may need
/// this rank's help, and yields now and then, because the peer may need the core.
template <class Done>
void spin_until(const Communicator& communicator, Done done) {
  constexpr std::uint32_t looks_before_progress = 256;  // some hundred nanoseconds
  constexpr std::uint32_t looks_before_yield = 64 * looks_before_progress;
  for (std::uint32_t looks = 1; !done(); ++looks) {
    if (looks % looks_before_progress == 0) {
      communicator.progress();
      if (looks % looks_before_yield == 0) {
        sched_yield();
      }
    }
  }
}

}  // namespace halocline::mpi
