#pragma once

#include <mpi.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "halocline/mpi/compat/features.hpp"

namespace halocline::mpi {

// Open MPI 5 has them although it declares MPI 3.1; Open MPI 4 has them as an extension under its
// own names.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HALOCLINE_INIT(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define HALOCLINE_INIT(name) MPIX_##name##_init
#endif

#ifdef HALOCLINE_INIT
inline constexpr bool has_persistent_collectives = true;
#else
inline constexpr bool has_persistent_collectives = false;
inline constexpr auto no_persistent_collectives = [](const auto&... /*arguments*/) -> int {
  throw Error("persistent collectives came with MPI 4.0; this library implements " +
              header_standard() + "; choose another protocol");
};
#define HALOCLINE_INIT(name) no_persistent_collectives
#endif

inline constexpr auto alltoallv_init = HALOCLINE_INIT(Alltoallv);
inline constexpr auto neighbor_alltoallv_init = HALOCLINE_INIT(Neighbor_alltoallv);
inline constexpr auto neighbor_alltoallw_init = HALOCLINE_INIT(Neighbor_alltoallw);
#undef HALOCLINE_INIT

}  // namespace halocline::mpi
