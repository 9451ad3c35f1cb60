#pragma once

#include <mpi.h>

#include <climits>

namespace halocline::mpi {

/// The most ranks on which an accumulate may be flushed after puts to the same target. In MPICH 4.0
/// over UCX such a flush occasionally hung on four or eight ranks, but never after gets.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr int flags_behind_puts_ranks_maximum = 2;
#else
inline constexpr int flags_behind_puts_ranks_maximum = INT_MAX;
#endif

}  // namespace halocline::mpi
