#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halocline::mpi {

/// What a protocol may need of an MPI library.
enum class Need {
  two_sided,
  synchronous_mode,
  ready_mode,
  buffered_mode,
  persistent_requests,
  nonblocking_sendrecv,
  derived_datatypes,
  partitioned_messages,
  collectives,
  nonblocking_collectives,
  neighbourhood_collectives,
  persistent_collectives,
  openshmem,
  one_sided,
  passive_target,
  polled_memory,
  shared_windows,
};

/// As shown in lists.
std::string_view name_of(Need need);

/// Why this build's library cannot serve the need; empty when it can.
std::string missing(Need need);

/// Why partitioned messages cannot be used although the library has them, with at most this many
/// between two ranks; empty when they can.
std::string partitioned_unusable(std::size_t messages);

}  // namespace halocline::mpi
