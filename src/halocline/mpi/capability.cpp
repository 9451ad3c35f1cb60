#include "halocline/mpi/capability.hpp"

#include "halocline/base/error.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/compat/openshmem.hpp"
#include "halocline/mpi/compat/partitioned.hpp"
#include "halocline/mpi/compat/persistent_collectives.hpp"

namespace halocline::mpi {

std::string_view name_of(Need need) {
  switch (need) {
    case Need::two_sided:
      return "two-sided";
    case Need::synchronous_mode:
      return "synchronous mode";
    case Need::ready_mode:
      return "ready mode";
    case Need::buffered_mode:
      return "buffered mode";
    case Need::persistent_requests:
      return "persistent requests";
    case Need::nonblocking_sendrecv:
      return "MPI_Isendrecv";
    case Need::derived_datatypes:
      return "derived datatypes";
    case Need::partitioned_messages:
      return "partitioned messages";
    case Need::collectives:
      return "collectives";
    case Need::nonblocking_collectives:
      return "nonblocking collectives";
    case Need::neighbourhood_collectives:
      return "neighbourhood collectives";
    case Need::persistent_collectives:
      return "persistent collectives";
    case Need::openshmem:
      return "OpenSHMEM";
    case Need::one_sided:
      return "one-sided communication";
    case Need::passive_target:
      return "passive target";
    case Need::polled_memory:
      return "waiting on memory";
    case Need::shared_windows:
      return "shared-memory windows";
  }
  throw Error("a need has no name; give it one in mpi/capability.cpp");
}

std::string missing(Need need) {
  const auto came_with_4 = [](const char* what) {
    return std::string{what} + " came with MPI 4.0; this library implements " + header_standard();
  };
  switch (need) {
    case Need::nonblocking_sendrecv:
      return has_isendrecv ? "" : came_with_4("MPI_Isendrecv");
    case Need::partitioned_messages:
      return has_partitioned ? "" : came_with_4("MPI_Psend_init");
    case Need::persistent_collectives:
      return has_persistent_collectives ? "" : came_with_4("MPI_Alltoallv_init");
    case Need::neighbourhood_collectives:
      return simulated ? "SMPI ends the simulation when a neighbourhood collective is called" : "";
    case Need::openshmem:
      return shmem::available ? "" : "this library has no OpenSHMEM";
    case Need::polled_memory:
      return simulated ? "in simulation time advances only in MPI calls: a rank that polled its "
                         "own memory would never return"
                       : "";
    case Need::shared_windows:
      return simulated ? "SMPI reports windows as shared on every node" : "";
    default:
      return "";
  }
}

std::string partitioned_unusable(std::size_t messages) {
  int ranks = 0;
  HALOCLINE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (ranks <= partitioned_ranks_maximum && messages <= partitioned_messages_maximum) {
    return "";
  }
  return "with this library, partitioned messages hang on more than " +
         std::to_string(partitioned_ranks_maximum) + " ranks, and where several go to one peer";
}

}  // namespace halocline::mpi
