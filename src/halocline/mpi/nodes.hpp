#pragma once

#include <vector>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// The node of each rank, counted from 0 in the order of their lowest ranks. Collective.
std::vector<int> node_of_rank(const Communicator& communicator);

}  // namespace halocline::mpi
