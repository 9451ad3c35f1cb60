#include "halocline/bundle/node_memory.hpp"

#include <algorithm>
#include <random>

#include "halocline/mpi/agreement.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::bundle {
namespace {

/// A number that no other memory has, drawn by rank 0: threads create memory at the same time.
/// Collective.
std::uint64_t new_number(const mpi::Communicator& communicator) {
  std::uint64_t drawn = 0;
  if (communicator.rank() == 0) {
    std::random_device source;
    drawn = std::uint64_t{source()} << 32U | source();
  }
  const std::int64_t number = communicator.broadcast(static_cast<std::int64_t>(drawn));
  return static_cast<std::uint64_t>(number) | 1U;  // 0 is no memory
}

}  // namespace

NodeMemory::NodeMemory(const mpi::Communicator& communicator, std::size_t own_bytes)
    : number_(new_number(communicator)) {
  if constexpr (mpi::simulated) {
    own_ = simulated_.emplace(own_bytes).bytes();
  } else {
    const mpi::Communicator& node = node_.emplace(communicator.node());
    mpi::agreed(communicator, [&] {  // other nodes too
      own_ = shared_.emplace(node, own_bytes).part(node.rank()).first(own_bytes);
    });
    seen_ = {{.memory = own_, .offset_bytes = 0}};
  }
}

NodeMemory::NodeMemory(const mpi::Communicator& communicator,
                       std::span<const std::span<std::byte>> arrays)
    : number_(new_number(communicator)) {
  if constexpr (!mpi::simulated) {
    const mpi::Communicator& node = node_.emplace(communicator.node());
    mpi::agreed(communicator, [&] { adopted_ = std::make_unique<AdoptedArrays>(arrays); });
    look_at_others(communicator, node);
    for (const AdoptedArrays::Part& part : adopted_->parts()) {
      seen_.push_back({.memory = part.memory, .offset_bytes = part.offset_bytes});
    }
  }
}

/// When this returns, no process finds the arrays by name any more.
void NodeMemory::look_at_others(const mpi::Communicator& communicator,
                                const mpi::Communicator& node) {
  const std::vector<int> keys = node.all_gather(adopted_->key());
  mpi::agreed(communicator, [&] {
    for (const int key : keys) {
      elsewhere_.emplace_back(key);
    }
  });
  adopted_->hide();
}

void NodeMemory::give_back() {
  seen_.clear();
  if (adopted_) {
    adopted_->give_back();
  }
}

std::span<std::byte> NodeMemory::part(int rank_on_node) const {
  if (adopted_) {
    return elsewhere_[static_cast<std::size_t>(rank_on_node)].bytes();
  }
  return shared_ ? shared_->part(rank_on_node) : std::span<std::byte>{};
}

/// The pieces that end after the memory begins.
std::span<const NodeMemory::Seen> NodeMemory::at_or_after(std::span<const std::byte> memory) const {
  const auto first = std::ranges::partition_point(seen_, [&memory](const Seen& seen) {
    return seen.memory.data() + seen.memory.size() <= memory.data();
  });
  return {first, seen_.end()};
}

std::optional<std::size_t> NodeMemory::offset_of(std::span<const std::byte> memory) const {
  const auto rest = at_or_after(memory);
  if (rest.empty() || rest.front().memory.data() > memory.data() ||
      rest.front().memory.data() + rest.front().memory.size() < memory.data() + memory.size()) {
    return std::nullopt;
  }
  return rest.front().offset_bytes +
         static_cast<std::size_t>(memory.data() - rest.front().memory.data());
}

bool NodeMemory::touches(std::span<const std::byte> memory) const {
  const auto rest = at_or_after(memory);
  return !rest.empty() && rest.front().memory.data() < memory.data() + memory.size();
}

}  // namespace halocline::bundle
