#pragma once

#include <mpi.h>

#include <climits>

namespace halocline::mpi {

/// The most ranks on which an accumulate may be flushed behind puts to the same target. In
/// MPICH 4.0 over UCX such a flush on four or eight ranks now and then hung; behind gets none did.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr int flags_behind_puts_ranks_maximum = 2;
#else
inline constexpr int flags_behind_puts_ranks_maximum = INT_MAX;
#endif

}  // namespace halocline::mpi
