#pragma once

#include <mpi.h>

#include <string>

#include "halocline/mpi/check.hpp"

// The project's only conditionals on vendor and version: what cannot be queried at run time.

namespace halocline::mpi {

/// Whether this build runs inside SimGrid's simulator, whose header is known by this macro.
#ifdef SMPI_SAMPLE_LOOP
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

/// Version of the standard ABI that this build is bound to; {0, 0} for a library's own ABI.
struct AbiVersion {
  int major;
  int minor;
};
#ifdef MPI_ABI_VERSION
inline constexpr AbiVersion abi{MPI_ABI_VERSION, MPI_ABI_SUBVERSION};
#else
inline constexpr AbiVersion abi{0, 0};
#endif

/// The standard that the library's header declares: "4.0".
inline std::string header_standard() {
  return std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION);
}

/// Whether the library refuses shared memory for which /dev/shm has no room. Others reserve
/// nothing: the first write beyond the room ends the process with SIGBUS. A simulated rank shares
/// none.
#ifdef OPEN_MPI
inline constexpr bool refuses_too_much_shared_memory = true;
#else
inline constexpr bool refuses_too_much_shared_memory = simulated;
#endif

/// MPI_Win_sync, which the simulator lacks and does not need: its ranks take turns.
inline void synchronise(MPI_Win window) {
  if constexpr (!simulated) {
    HALOCLINE_MPI(MPI_Win_sync(window));
  }
}

#if MPI_VERSION >= 4
inline constexpr bool has_isendrecv = true;
inline void isendrecv(const void* outgoing, int outgoing_count, int destination, void* incoming,
                      int incoming_count, int source, int tag, MPI_Comm communicator,
                      MPI_Request& request) {
  HALOCLINE_MPI(MPI_Isendrecv(outgoing, outgoing_count, MPI_BYTE, destination, tag, incoming,
                              incoming_count, MPI_BYTE, source, tag, communicator, &request));
}
#else
inline constexpr bool has_isendrecv = false;
inline void isendrecv(const void* /*outgoing*/, int /*outgoing_count*/, int /*destination*/,
                      void* /*incoming*/, int /*incoming_count*/, int /*source*/, int /*tag*/,
                      MPI_Comm /*communicator*/, MPI_Request& /*request*/) {
  throw Error("MPI_Isendrecv came with MPI 4.0; this library implements " + header_standard() +
              "; choose another protocol");
}
#endif

}  // namespace halocline::mpi
