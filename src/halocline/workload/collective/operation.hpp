#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "halocline/base/memory.hpp"
#include "halocline/measure/shared_clock.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// The parameters of a collective operation: the ranks, and the bytes of each.
struct Task {
  const mpi::Communicator& world;
  std::vector<int> node_of_rank;
  std::size_t size_bytes;  // per rank, as IMB defines it; for alltoall per pair of ranks
  Pages pages;
  std::shared_ptr<measure::SharedClock> clock;

  std::size_t ranks() const { return node_of_rank.size(); }
  std::size_t nodes() const;
  /// Whether this rank is the lowest of its node.
  bool leads() const;
  /// The number of ranks on the node with most.
  std::size_t most_members() const;
  /// `blocks` times size_bytes. Throws Skip if a rank would need too much memory.
  std::size_t buffer_bytes(std::size_t blocks) const;
};

/// The ranks of this node, and the lowest of each node among themselves.
class Levels {
 public:
  /// Collective.
  explicit Levels(const Task& task);

  mpi::Collectives node() const { return mpi::Collectives(node_); }
  bool leads() const { return leaders_.has_value(); }
  /// Throws Error if this rank does not lead its node.
  mpi::Collectives leaders() const;

  /// The ranks of each node, in their order.
  const std::vector<std::vector<int>>& members() const { return members_; }
  const std::vector<int>& own_members() const { return members_[own_node_]; }

 private:
  std::size_t own_node_;
  std::vector<std::vector<int>> members_;
  mpi::Communicator node_;
  std::optional<mpi::Communicator> leaders_;
};

}  // namespace halocline::workload
