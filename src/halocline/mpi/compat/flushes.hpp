#pragma once

#include <mpi.h>

#include <climits>

namespace halocline::mpi {

/// The most ranks of which one may flush accumulates to several targets. In MPICH 4.0 over UCX such
/// a flush on four or eight ranks never returned.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr int several_flushes_ranks_maximum = 2;
#else
inline constexpr int several_flushes_ranks_maximum = INT_MAX;
#endif

}  // namespace halocline::mpi
