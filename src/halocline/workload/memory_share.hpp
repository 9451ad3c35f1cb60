#pragma once

#include <string>

#include "halocline/mpi/communicator.hpp"

namespace halocline::workload {

/// Throws Skip on all ranks unless the memory that a node's ranks need, `own_bytes` on this one,
/// fits the allowed share of the node's memory, in percent, and what is available of it now: the
/// sides of a comparison keep theirs while they wait for their turns. `what` needs it; `remedy`
/// says what to choose. Announces the need of the fullest node.
void require_memory(const std::string& what, double own_bytes, int percent_allowed,
                    const std::string& remedy, const mpi::Communicator& world);

}  // namespace halocline::workload
