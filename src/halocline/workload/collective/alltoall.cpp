#include <algorithm>

#include "halocline/workload/collective/blocks.hpp"
#include "halocline/workload/collective/loop.hpp"

namespace halocline::workload {

extern const Workload alltoall;

namespace {

class AlltoallBase {
 public:
  static Buffers buffers(const Task& task) {
    return alike_on_all_ranks(2 * task.buffer_bytes(task.ranks()));
  }

  explicit AlltoallBase(const Task& task)
      : task_(task),
        outgoing_(task.buffer_bytes(task.ranks()), task.pages),
        incoming_(outgoing_.bytes().size(), task.pages) {}

  void write(std::uint64_t seed) {
    for (std::size_t peer = 0; peer < task_.ranks(); ++peer) {
      fill_block(block_of(outgoing_.bytes(), task_.size_bytes, peer),
                 {.seed = seed, .from = task_.world.rank(), .to = static_cast<int>(peer)});
      spoil_block(block_of(incoming_.bytes(), task_.size_bytes, peer), from(seed, peer));
    }
  }
  std::optional<std::string> difference(std::uint64_t seed) const {
    for (std::size_t peer = 0; peer < task_.ranks(); ++peer) {
      if (const auto wrong = block_difference(block_of(incoming_.bytes(), task_.size_bytes, peer),
                                              from(seed, peer), task_.world.rank())) {
        return wrong;
      }
    }
    return std::nullopt;
  }
  std::size_t moved_bytes() const { return task_.ranks() * (task_.ranks() - 1) * task_.size_bytes; }
  std::size_t off_node_bytes() const {
    const int own = task_.node_of_rank[static_cast<std::size_t>(task_.world.rank())];
    const auto here = static_cast<std::size_t>(std::ranges::count(task_.node_of_rank, own));
    return (task_.ranks() - here) * task_.size_bytes;
  }

 protected:
  Origin from(std::uint64_t seed, std::size_t peer) const {
    return {.seed = seed, .from = static_cast<int>(peer), .to = task_.world.rank()};
  }

  const Task& task_;
  Memory outgoing_;
  Memory incoming_;
};

class FlatAlltoall final : public AlltoallBase {
 public:
  explicit FlatAlltoall(const Task& task) : AlltoallBase(task), all_(task.world) {}
  void run() { all_.all_to_all(outgoing_.bytes(), incoming_.bytes(), task_.size_bytes); }

 private:
  mpi::Collectives all_;
};

/// Gathered on each node's lowest rank, exchanged among these in one message for each pair of
/// nodes, and distributed: fewer messages between nodes, at the cost of two more copies.
class TwoLevelAlltoall final : public AlltoallBase {
 public:
  static Buffers buffers(const Task& task) {
    Buffers buffers = AlltoallBase::buffers(task);
    // As many on each node: if one rank skips, all must.
    const std::size_t of_leader = 2 * task.buffer_bytes(task.ranks() * task.most_members());
    buffers.own_bytes += task.leads() ? of_leader : 0;
    buffers.most_bytes += of_leader;
    return buffers;
  }

  explicit TwoLevelAlltoall(const Task& task)
      : AlltoallBase(task),
        levels_(task),
        of_node_(leader_bytes(), task.pages),
        staged_(leader_bytes(), task.pages) {
    std::vector<int> counts;
    for (const std::vector<int>& members : levels_.members()) {
      counts.push_back(
          static_cast<int>(levels_.own_members().size() * members.size() * task.size_bytes));
    }
    between_nodes_ = mpi::Blocks::of(counts);
  }

  void run() {
    levels_.node().gather(outgoing_.bytes(), of_node_.bytes(), 0);
    if (levels_.leads()) {
      sort_by_node();
      levels_.leaders().all_to_all(staged_.bytes(), between_nodes_, of_node_.bytes(),
                                   between_nodes_);
      sort_by_member();
    }
    levels_.node().scatter(staged_.bytes(), incoming_.bytes(), 0);
  }

 private:
  std::size_t leader_bytes() const {
    const std::size_t blocks = task_.ranks() * levels_.own_members().size();
    return levels_.leads() ? blocks * task_.size_bytes : 0;
  }

  /// From [own member][to any rank] to [node][own member][to its members].
  void sort_by_node() {
    std::size_t place = 0;
    for (const std::vector<int>& members : levels_.members()) {
      for (std::size_t own = 0; own < levels_.own_members().size(); ++own) {
        for (const int to : members) {
          copy(of_node_, own * task_.ranks() + static_cast<std::size_t>(to), staged_, place++);
        }
      }
    }
  }

  /// From [node][from its members][own member] to [own member][from any rank].
  void sort_by_member() {
    std::size_t place = 0;
    for (const std::vector<int>& members : levels_.members()) {
      for (const int from : members) {
        for (std::size_t own = 0; own < levels_.own_members().size(); ++own) {
          copy(of_node_, place++, staged_, own * task_.ranks() + static_cast<std::size_t>(from));
        }
      }
    }
  }

  void copy(const Memory& source, std::size_t source_block, Memory& target,
            std::size_t target_block) const {
    std::ranges::copy(block_of(source.bytes(), task_.size_bytes, source_block),
                      block_of(target.bytes(), task_.size_bytes, target_block).begin());
  }

  Levels levels_;
  Memory of_node_;
  Memory staged_;
  mpi::Blocks between_nodes_;
};

}  // namespace

const Workload alltoall = define<FlatAlltoall, TwoLevelAlltoall>({
    .name = "alltoall",
    .summary = "different bytes from every rank to every rank, the same number for each",
});

}  // namespace halocline::workload
