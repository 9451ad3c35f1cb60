#pragma once

#include <mpi.h>

namespace halocline::mpi {

/// Whether neighbourhood alltoallw supports a rank whose numbers of sources and destinations
/// differ. MPICH 4.0 returns at once where either is zero (its issue 6233), and loses messages or
/// crashes where they differ.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr bool neighbours_may_be_uneven = false;
#else
inline constexpr bool neighbours_may_be_uneven = true;
#endif

}  // namespace halocline::mpi
