#include "halocline/mpi/capability.hpp"

#include "halocline/base/error.hpp"
#include "halocline/mpi/compat/features.hpp"

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
  }
  throw Error("a need has no name; give it one in mpi/capability.cpp");
}

std::string missing(Need need) {
  if (need == Need::nonblocking_sendrecv && !has_isendrecv) {
    return "MPI_Isendrecv came with MPI 4.0; this library implements " + header_standard();
  }
  return "";
}

}  // namespace halocline::mpi
