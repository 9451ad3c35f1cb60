#pragma once

#include <mpi.h>

namespace halocline::mpi {

/// Whether neighbourhood alltoallw moves anything for a rank that only sends, or only receives.
/// MPICH 4.0 returns at once there (its issue 6233).
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr bool neighbours_may_go_one_way = false;
#else
inline constexpr bool neighbours_may_go_one_way = true;
#endif

}  // namespace halocline::mpi
