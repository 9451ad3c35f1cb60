#pragma once

#include <mpi.h>

#include <span>
#include <utility>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Some ranks of a communicator, owned. Move-only.
class Group {
 public:
  Group(const Communicator& communicator, std::span<const int> ranks);
  ~Group();
  Group(Group&& other) noexcept : handle_(std::exchange(other.handle_, MPI_GROUP_NULL)) {}
  Group& operator=(Group&&) = delete;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// For the calls of mpi/; the group keeps ownership.
  MPI_Group handle() const { return handle_; }

 private:
  MPI_Group handle_ = MPI_GROUP_NULL;
};

}  // namespace halocline::mpi
