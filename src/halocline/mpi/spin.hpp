#pragma once

#include <sched.h>

#include <cstdint>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Waits in a loop until `done()`, which looks at memory. Meanwhile MPI moves on, because what is
/// waited for may need this rank's help, and the core is given away now and then, because the one
/// who is waited for may need it.
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
