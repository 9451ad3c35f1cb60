#pragma once

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Calls `make` on the ranks whose turn is 0, then on those with 1, up to `turns`. Collective. Open
/// MPI 4 names the files behind windows after a number that all parts of a communicator share: two
/// parts of one node must not create theirs at the same time.
template <class Make>
void in_turn(const Communicator& world, int own_turn, int turns, const Make& make) {
  for (int turn = 0; turn < turns; ++turn) {
    if (turn == own_turn) {
      make();
    }
    world.barrier();
  }
}

}  // namespace halocline::mpi
