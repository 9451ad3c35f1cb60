#include "halocline/bundle/node_memory.hpp"

#include "halocline/mpi/compat/features.hpp"

namespace halocline::bundle {

NodeMemory::NodeMemory(const mpi::Communicator& communicator, std::size_t own_bytes) {
  if constexpr (mpi::simulated) {
    own_ = simulated_.emplace(own_bytes).bytes();
  } else {
    node_.emplace(communicator.node());
    shared_.emplace(*node_, own_bytes);
    own_ = shared_->part(node_->rank()).first(own_bytes);
  }
}

std::span<std::byte> NodeMemory::part(int rank_on_node) const {
  return shared_ ? shared_->part(rank_on_node) : std::span<std::byte>{};
}

}  // namespace halocline::bundle
