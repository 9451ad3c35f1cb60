#pragma once

#include <cstddef>
#include <string>

#include "halocline/mpi/communicator.hpp"

namespace halocline::workload {

/// Throws Skip on all ranks unless the memory that a node's ranks need, `own_bytes` on this one,
/// fits the allowed share of the node's memory, in percent, and what is available of it now: the
/// sides of a comparison keep theirs while they wait for their turns. `what` needs it; `remedy`
/// says what to choose. Announces the need of the fullest node.
void require_memory(const std::string& what, double own_bytes, int percent_allowed,
                    const std::string& remedy, const mpi::Communicator& world);

/// Memory of a rank's buffers.
struct Buffers {
  std::size_t own_bytes;
  std::size_t most_bytes;  // of any rank: the same number on all
};

inline Buffers alike_on_all_ranks(std::size_t bytes) {
  return {.own_bytes = bytes, .most_bytes = bytes};
}

/// The same for the buffers of messages. Small ones are not checked, so that their cases are
/// prepared as fast as ever.
void require_buffers(const std::string& what, const Buffers& buffers, const std::string& remedy,
                     const mpi::Communicator& world);

}  // namespace halocline::workload
