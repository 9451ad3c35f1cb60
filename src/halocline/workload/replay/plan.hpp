#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace halocline::workload {

/// A call of a program: its name without MPI_, and the numbers that the function needs. Ranks are
/// the communicator's, `nobody` is MPI_PROC_NULL and `anybody` MPI_ANY_SOURCE.
///
///   Send, Isend, …               communicator peer tag bytes
///   Recv, Irecv                  communicator peer tag room sender bytes, the sender in the world
///   Send_init, Ssend_init        those of Send; they make the rank's next persistent request
///   Recv_init                    those of Recv; the same
///   Start                        the number of a persistent request
///   Startall                     the numbers of some, or of none
///   Sendrecv                     those of Send, then those of Recv without the communicator
///   Waitall                      how many of the oldest requests
///   other completions            nothing: they take the oldest request, or none
///   Iprobe                       communicator peer
///   Put, Get                     window peer bytes
///   Win_fence                    window
///   Barrier, Ibarrier            communicator
///   Bcast, Reduce, Gather, …     communicator root bytes
///   Allreduce, Allgather, …      communicator bytes; of Alltoall to each rank
///   Gatherv, Scatterv            communicator root bytes, and at the root those of each rank
///   Allgatherv, Alltoallv        communicator bytes-of-each-rank; to each, then from each
struct PlannedCall {
  std::string function;
  std::vector<std::int64_t> values;
  std::size_t line = 0;  // of its file
};

inline constexpr std::int64_t nobody = -1;
inline constexpr std::int64_t anybody = -2;

/// Calls that are repeated, round by round.
struct PlannedBlock {
  std::int64_t repeats = 1;
  std::vector<PlannedCall> calls;
};

/// Memory that the ranks of a communicator, given by number, put to and get from.
struct PlannedWindow {
  std::size_t communicator = 0;
  std::size_t bytes = 0;  // of every rank, at every rank
};

/// All calls that a rank makes, over communicators of these ranks of the world.
struct Plan {
  std::string file;
  std::vector<std::vector<int>> communicators;  // in ascending order
  std::vector<PlannedWindow> windows;
  std::vector<PlannedBlock> blocks;
};

}  // namespace halocline::workload
