#pragma once

#include <string>

#include "halocline/mpi/unwinding.hpp"

namespace halocline::api {

/// Converts the exception being handled to a status and stores its message.
int failed() noexcept;

/// Runs the body of a C function; no exception escapes.
template <class Body>
int guarded(Body body) noexcept {
  try {
    const mpi::LibraryCall call;
    body();
    return 0;
  } catch (...) {
    return failed();
  }
}

/// Throws Error unless MPI is between MPI_Init and MPI_Finalize.
void require_running();

/// Throws Error unless an address is given.
void require_address(bool given, const char* what);
/// Throws Error for a null pointer.
template <class Given>
void require_given(const Given* pointer, const char* what) {
  require_address(pointer != nullptr, what);
}

/// Throws Error for a negative count.
void require_count(int count, const char* what);

}  // namespace halocline::api
