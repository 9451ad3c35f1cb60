#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>

#include "halocline/mpi/compat/features.hpp"

namespace halocline::mpi {

// Open MPI 5 has them although it declares MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
inline constexpr bool has_partitioned = true;
inline constexpr auto psend_init = MPI_Psend_init;
inline constexpr auto precv_init = MPI_Precv_init;
inline constexpr auto pready = MPI_Pready;
#else
inline constexpr bool has_partitioned = false;
inline constexpr auto no_partitioned = [](const auto&... /*arguments*/) -> int {
  throw Error("partitioned communication came with MPI 4.0; this library implements " +
              header_standard() + "; choose another protocol");
};
inline constexpr auto psend_init = no_partitioned;
inline constexpr auto precv_init = no_partitioned;
inline constexpr auto pready = no_partitioned;
#endif

/// The largest world in which partitioned messages arrive, and how many to a peer. Open MPI 5
/// duplicates the world twice concurrently for them, and hangs where that takes more than one step
/// (its issue 12969). It also hangs with two messages to the same peer.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 5
inline constexpr int partitioned_ranks_maximum = 2;
inline constexpr std::size_t partitioned_messages_maximum = 1;
#else
inline constexpr int partitioned_ranks_maximum = INT_MAX;
inline constexpr std::size_t partitioned_messages_maximum = SIZE_MAX;
#endif

}  // namespace halocline::mpi
