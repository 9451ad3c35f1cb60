#pragma once

#include <mpi.h>

#include <climits>

namespace halocline::mpi {

/// The most ranks on which accumulates may be flushed. In MPICH 4.0 over UCX such a flush on four
/// or eight ranks now and then never returned, even to one target.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr int flushed_accumulates_ranks_maximum = 2;
#else
inline constexpr int flushed_accumulates_ranks_maximum = INT_MAX;
#endif

}  // namespace halocline::mpi
