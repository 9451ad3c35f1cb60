#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifdef HALOCLINE_OPENSHMEM
#include <shmem.h>
#endif

#include "halocline/mpi/check.hpp"

namespace halocline::mpi::shmem {

// Whether CMake found an OpenSHMEM that belongs to this MPI.
#ifdef HALOCLINE_OPENSHMEM

inline constexpr bool available = true;

/// Before MPI_Init. Open MPI 4 leaves a hook on freed memory when it unloads UCX at the end, and
/// crashes in it.
inline void prepare() { setenv("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0", 0); }

/// Whether as many threads may call it as MPI: Open MPI progresses it in all MPI calls.
inline bool init() {
  int asked = MPI_THREAD_SINGLE;
  MPI_Query_thread(&asked);
  const int wanted = asked == MPI_THREAD_MULTIPLE ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE;
  int provided = wanted;
  shmem_init_thread(wanted, &provided);
  return provided >= wanted;
}
inline void finalize() { shmem_finalize(); }
inline void* allocate(std::size_t size_bytes) { return shmem_malloc(size_bytes); }
inline void release(void* memory) { shmem_free(memory); }
inline void barrier() { shmem_barrier_all(); }
inline void put(void* there, const void* here, std::size_t size_bytes, int rank) {
  shmem_putmem(there, here, size_bytes, rank);
}
inline void set(std::uint64_t* there, std::uint64_t number, int rank) {
  shmem_uint64_p(there, number, rank);
}
inline void fence() { shmem_fence(); }
inline void quiet() { shmem_quiet(); }
inline void wait_until_at_least(std::uint64_t* word, std::uint64_t number) {
  shmem_uint64_wait_until(word, SHMEM_CMP_GE, number);
}

#else

inline constexpr bool available = false;

[[noreturn]] inline void refuse() {
  throw Error("this library has no OpenSHMEM; choose another protocol");
}

inline void prepare() {}
inline bool init() { refuse(); }
inline void finalize() {}
inline void* allocate(std::size_t /*size_bytes*/) { refuse(); }
inline void release(void* /*memory*/) {}
inline void barrier() {}
inline void put(void* /*there*/, const void* /*here*/, std::size_t /*size_bytes*/, int /*rank*/) {}
inline void set(std::uint64_t* /*there*/, std::uint64_t /*number*/, int /*rank*/) {}
inline void fence() {}
inline void quiet() {}
inline void wait_until_at_least(std::uint64_t* /*word*/, std::uint64_t /*number*/) {}

#endif

}  // namespace halocline::mpi::shmem
