#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halocline/base/adopted_arrays.hpp"
#include "halocline/base/memory.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/shared_window.hpp"

namespace halocline::bundle {

/// Memory for fields that all ranks of a node can read: a redistribution copies directly from it.
/// In simulation ranks share no memory, and each has its own.
class NodeMemory {
 public:
  /// Collective over the communicator; each rank contributes any amount. Zero at first, aligned
  /// to 4 KiB.
  NodeMemory(const mpi::Communicator& communicator, std::size_t own_bytes);

  /// Adopts the whole pages of a program's arrays, in place and with their contents; others cannot
  /// read the partial pages at the ends. Collective. Throws the same Error on all ranks for memory
  /// that is not the program's alone. No thread may write to the arrays meanwhile, and they must
  /// not be freed before they are given back, at the latest by the destructor.
  NodeMemory(const mpi::Communicator& communicator, std::span<const std::span<std::byte>> arrays);

  /// Makes adopted arrays ordinary memory again. Throws Error if one was freed. No rank may be in a
  /// redistribution that reads them.
  void give_back();

  /// The same on all of its ranks, and another for each memory that one of them has.
  std::uint64_t number() const { return number_; }
  /// This rank's part of the library's memory; empty for adopted arrays.
  std::span<std::byte> own() const { return own_; }
  /// Whether all these ranks of one node have a part of it; always in simulation.
  bool includes(const mpi::Communicator& node) const { return !node_ || node_->includes(node); }
  /// This rank's number in the communicator of the node; 0 in simulation.
  int rank_on_node() const { return node_ ? node_->rank() : 0; }
  /// Where this process sees the part of a rank of its node, by that number; empty in simulation.
  std::span<std::byte> part(int rank_on_node) const;

  /// Its offset in the shared part, if others see all of it.
  std::optional<std::size_t> offset_of(std::span<const std::byte> memory) const;
  /// Whether others see any of it.
  bool touches(std::span<const std::byte> memory) const;

 private:
  /// A piece of this rank's memory that others see.
  struct Seen {
    std::span<const std::byte> memory;
    std::size_t offset_bytes;
  };

  std::span<const Seen> at_or_after(std::span<const std::byte> memory) const;
  void look_at_others(const mpi::Communicator& communicator, const mpi::Communicator& node);

  std::uint64_t number_;
  std::optional<mpi::Communicator> node_;
  std::optional<mpi::SharedWindow> shared_;
  std::unique_ptr<AdoptedArrays> adopted_;
  std::vector<ArraysElsewhere> elsewhere_;
  std::optional<Memory> simulated_;
  std::span<std::byte> own_;
  std::vector<Seen> seen_;  // in order of address
};

}  // namespace halocline::bundle
