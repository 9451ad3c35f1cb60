#include <algorithm>

#include "halocline/workload/collective/blocks.hpp"
#include "halocline/workload/collective/loop.hpp"

namespace halocline::workload {

extern const Workload allgather;

namespace {

class AllgatherBase {
 public:
  static Buffers buffers(const Task& task) {
    return alike_on_all_ranks(task.buffer_bytes(task.ranks()) + task.size_bytes);
  }

  explicit AllgatherBase(const Task& task)
      : task_(task),
        all_(task.buffer_bytes(task.ranks()), task.pages),
        own_(task.size_bytes, task.pages) {}

  void write(std::uint64_t seed) {
    fill_block(own_.bytes(), {.seed = seed, .from = task_.world.rank(), .to = 0});
    for (std::size_t from = 0; from < task_.ranks(); ++from) {
      spoil_block(block_of(all_.bytes(), task_.size_bytes, from), origin(seed, from));
    }
  }
  std::optional<std::string> difference(std::uint64_t seed) const {
    for (std::size_t from = 0; from < task_.ranks(); ++from) {
      if (const auto wrong = block_difference(block_of(all_.bytes(), task_.size_bytes, from),
                                              origin(seed, from), task_.world.rank())) {
        return wrong;
      }
    }
    return std::nullopt;
  }
  std::size_t moved_bytes() const { return task_.ranks() * (task_.ranks() - 1) * task_.size_bytes; }
  /// Whoever sends it: once to each other node.
  std::size_t off_node_bytes() const { return (task_.nodes() - 1) * task_.size_bytes; }

 protected:
  static Origin origin(std::uint64_t seed, std::size_t from) {
    return {.seed = seed, .from = static_cast<int>(from), .to = 0};
  }

  const Task& task_;
  Memory all_;
  Memory own_;
};

class FlatAllgather final : public AllgatherBase {
 public:
  explicit FlatAllgather(const Task& task) : AllgatherBase(task), collectives_(task.world) {}
  void run() { collectives_.all_gather(own_.bytes(), all_.bytes()); }

 private:
  mpi::Collectives collectives_;
};

/// Gathered on each node, exchanged among the nodes' lowest ranks and distributed on the node;
/// reordered by rank where nodes do not hold consecutive ranks.
class TwoLevelAllgather final : public AllgatherBase {
 public:
  /// At most: with a buffer that only ranks out of order need.
  static Buffers buffers(const Task& task) {
    return alike_on_all_ranks(2 * task.buffer_bytes(task.ranks()) +
                              (1 + task.most_members()) * task.size_bytes);
  }

  explicit TwoLevelAllgather(const Task& task)
      : AllgatherBase(task),
        levels_(task),
        of_node_(levels_.own_members().size() * task.size_bytes, task.pages) {
    std::vector<int> counts;
    for (const std::vector<int>& members : levels_.members()) {
      counts.push_back(static_cast<int>(members.size() * task.size_bytes));
      order_.insert(order_.end(), members.begin(), members.end());
    }
    of_nodes_ = mpi::Blocks::of(counts);
    if (!std::ranges::is_sorted(order_)) {
      by_node_.emplace(all_.bytes().size(), task.pages);
    }
  }

  void run() {
    const std::span<std::byte> gathered = by_node_ ? by_node_->bytes() : all_.bytes();
    levels_.node().gather(own_.bytes(), of_node_.bytes(), 0);
    if (levels_.leads()) {
      levels_.leaders().all_gather(of_node_.bytes(), gathered, of_nodes_);
    }
    levels_.node().broadcast(gathered, 0);
    if (by_node_) {
      for (std::size_t place = 0; place < order_.size(); ++place) {
        std::ranges::copy(
            block_of(gathered, task_.size_bytes, place),
            block_of(all_.bytes(), task_.size_bytes, static_cast<std::size_t>(order_[place]))
                .begin());
      }
    }
  }

 private:
  Levels levels_;
  Memory of_node_;
  mpi::Blocks of_nodes_;
  std::vector<int> order_;  // ranks, node by node
  std::optional<Memory> by_node_;
};

}  // namespace

const Workload allgather = define<FlatAllgather, TwoLevelAllgather>({
    .name = "allgather",
    .summary = "every rank's bytes to all ranks",
});

}  // namespace halocline::workload
