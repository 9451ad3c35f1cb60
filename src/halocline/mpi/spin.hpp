#pragma once

#include <sched.h>

#include <cstdint>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Polls until `done()`, which reads memory. Meanwhile MPI makes progress, because the peer may
/// need this rank's help, and the core is yielded now and then, because the peer may need it.
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
