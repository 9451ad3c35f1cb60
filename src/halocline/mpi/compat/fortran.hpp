#pragma once

#include <mpi.h>

namespace halocline::mpi {

/// The communicator of a Fortran handle.
inline MPI_Comm of_fortran(int number) {
#ifdef MPI_ABI_VERSION
  return MPI_Comm_fromint(number);
#else
  return MPI_Comm_f2c(number);
#endif
}

}  // namespace halocline::mpi
