#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "halocline/mpi/check.hpp"

namespace halocline::mpi {

/// A box of a field where it lies in memory. The first dimension is contiguous.
struct Subarray {
  static constexpr std::size_t max_dimensions = 4;
  using Extent = std::array<std::int64_t, max_dimensions>;

  std::byte* base;            // the field's first element
  std::size_t element_bytes;  // of the field
  Extent extent;              // elements of the field along each dimension; 1 where it has none
  Extent first;               // of the box, counted from the field's first element
  Extent count;               // elements of the box along each dimension

  bool empty() const;

  friend bool operator==(const Subarray&, const Subarray&) = default;
};

/// A derived datatype, committed and owned: the bytes of some boxes, one box after the other, at
/// their absolute addresses. One element of it, with the buffer MPI_BOTTOM, is the whole message.
class Datatype {
 public:
  /// Throws Error where a field's row or number of rows is past what MPI can count.
  explicit Datatype(std::span<const Subarray> boxes);
  ~Datatype();
  Datatype(Datatype&& other) noexcept;
  Datatype& operator=(Datatype&& other) noexcept;
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

 private:
  friend class Communicator;
  friend class Requests;
  friend class TypedPieces;

  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

}  // namespace halocline::mpi
