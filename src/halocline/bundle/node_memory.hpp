#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "halocline/base/memory.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/shared_window.hpp"

namespace halocline::bundle {

/// Memory for fields that the ranks of a node can read of one another: a redistribution copies
/// straight out of it. In simulation, where ranks share no memory, each rank's own.
class NodeMemory {
 public:
  /// Collective over the communicator; each rank brings as much as it likes. Zero at first, aligned
  /// to 4 KiB.
  NodeMemory(const mpi::Communicator& communicator, std::size_t own_bytes);

  /// This rank's part.
  std::span<std::byte> own() const { return own_; }
  /// Where this process sees the part of a rank of its node, by that rank's number in the
  /// communicator of the node; nothing in simulation.
  std::span<std::byte> part(int rank_on_node) const;
  bool holds(const std::byte* address) const {
    return address >= own_.data() && address < own_.data() + own_.size();
  }

 private:
  std::optional<mpi::Communicator> node_;
  std::optional<mpi::SharedWindow> shared_;
  std::optional<Memory> simulated_;
  std::span<std::byte> own_;
};

}  // namespace halocline::bundle
