#pragma once

#include <mpi.h>

namespace halocline::mpi {

/// Whether neighbourhood alltoallw serves a rank that sends to more or fewer others than it
/// receives from. MPICH 4.0 returns at once where either is none (its issue 6233), and loses
/// messages or ends in a fault where they differ.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
inline constexpr bool neighbours_may_be_uneven = false;
#else
inline constexpr bool neighbours_may_be_uneven = true;
#endif

}  // namespace halocline::mpi
