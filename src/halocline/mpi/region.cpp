#include "halocline/mpi/region.hpp"

#include <mpi.h>

#include "halocline/mpi/check.hpp"

namespace halocline::mpi {

void begin_region(const std::string& name) { HALOCLINE_MPI(MPI_Pcontrol(1, name.c_str())); }

void end_region(const std::string& name) { HALOCLINE_MPI(MPI_Pcontrol(-1, name.c_str())); }

}  // namespace halocline::mpi
