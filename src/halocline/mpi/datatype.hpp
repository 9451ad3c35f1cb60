#pragma once

#include <mpi.h>

#include <span>

#include "halocline/base/strided.hpp"
#include "halocline/mpi/check.hpp"

namespace halocline::mpi {

/// A derived datatype, committed and owned: the bytes of some boxes in order, at their absolute
/// addresses. One element of it, with the buffer MPI_BOTTOM, is the whole message.
class Datatype {
 public:
  /// Throws Error where a field's row or number of rows exceeds what MPI can count.
  explicit Datatype(std::span<const Strided> boxes);
  ~Datatype();
  Datatype(Datatype&& other) noexcept;
  Datatype& operator=(Datatype&& other) noexcept;
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  /// Throws Error where the constructor would.
  static void require_countable(std::span<const Strided> boxes);

  /// For the calls of mpi/; the datatype keeps ownership.
  MPI_Datatype handle() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

}  // namespace halocline::mpi
