#pragma once

#include <mpi.h>

#include <string>

#include "halocline/base/error.hpp"

namespace halocline::mpi {

/// An MPI call that did not return MPI_SUCCESS.
class CallError : public Error {
 public:
  CallError(int code, const char* call);
};

inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]] {
    throw CallError(code, call);
  }
}

}  // namespace halocline::mpi

/// Every MPI call goes through this: an error code becomes an Error that shows the call.
#define HALOCLINE_MPI(call) ::halocline::mpi::check((call), #call)
