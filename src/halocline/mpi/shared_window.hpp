#pragma once

#include <mpi.h>

#include <cstddef>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Memory that the ranks of a node share; rank 0 of the communicator owns it. Not in simulation,
/// where every rank is told the same address whatever its node.
class SharedWindow {
 public:
  /// Collective over the ranks of one node. The memory is aligned to a page and zero.
  SharedWindow(const Communicator& node, std::size_t size_bytes);
  /// Collective.
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  void* address() const { return address_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  void* address_ = nullptr;
};

}  // namespace halocline::mpi
