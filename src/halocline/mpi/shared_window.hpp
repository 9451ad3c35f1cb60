#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Memory shared by the ranks of a node, one part from each. Not in simulation, where every rank
/// gets the same address whatever its node.
class SharedWindow {
 public:
  /// Collective over the ranks of one node; each contributes any amount. The memory is zero,
  /// and each part is aligned to 4 KiB. Throws Skip on all of them if /dev/shm is too small.
  SharedWindow(const Communicator& node, std::size_t own_bytes);
  /// Collective.
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  /// A rank's part, with its length rounded up.
  std::span<std::byte> part(int rank) const;

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::byte> own_;
};

}  // namespace halocline::mpi
