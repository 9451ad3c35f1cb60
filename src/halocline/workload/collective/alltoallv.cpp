#include "halocline/workload/collective/blocks.hpp"
#include "halocline/workload/collective/loop.hpp"

namespace halocline::workload {

extern const Workload alltoallv;

namespace {

/// Each rank has messages of 1, 2, … n parts for the n ranks, in its own order, and what the
/// division into parts leaves is spread over them: their total length is alltoall's.
class FlatAlltoallv final {
 public:
  static Buffers buffers(const Task& task) {
    return alike_on_all_ranks(2 * task.buffer_bytes(task.ranks() + 1));
  }

  explicit FlatAlltoallv(const Task& task)
      : task_(task),
        all_(task.world),
        blocks_(uneven_blocks(task)),
        outgoing_(blocks_.total(), task.pages),
        incoming_(blocks_.total(), task.pages) {}

  void run() { all_.all_to_all(outgoing_.bytes(), blocks_, incoming_.bytes(), blocks_); }

  void write(std::uint64_t seed) {
    const int own = task_.world.rank();
    for (int peer = 0; peer < task_.world.size(); ++peer) {
      fill_block(part(outgoing_.bytes(), peer), {.seed = seed, .from = own, .to = peer});
      spoil_block(part(incoming_.bytes(), peer), {.seed = seed, .from = peer, .to = own});
    }
  }

  std::optional<std::string> difference(std::uint64_t seed) const {
    const int own = task_.world.rank();
    for (int peer = 0; peer < task_.world.size(); ++peer) {
      if (const auto wrong = block_difference(part(incoming_.bytes(), peer),
                                              {.seed = seed, .from = peer, .to = own}, own)) {
        return wrong;
      }
    }
    return std::nullopt;
  }

  std::size_t moved_bytes() const {
    std::size_t sum = 0;
    for (int from = 0; from < task_.world.size(); ++from) {
      for (int to = 0; to < task_.world.size(); ++to) {
        sum += from == to ? 0 : static_cast<std::size_t>(message_bytes(task_, from, to));
      }
    }
    return sum;
  }

  std::size_t off_node_bytes() const {
    const int own = task_.world.rank();
    const auto node_of = [this](int rank) {
      return task_.node_of_rank[static_cast<std::size_t>(rank)];
    };
    std::size_t sum = 0;
    for (int to = 0; to < task_.world.size(); ++to) {
      sum +=
          node_of(to) == node_of(own) ? 0 : static_cast<std::size_t>(message_bytes(task_, own, to));
    }
    return sum;
  }

 private:
  /// The same in both directions.
  static int message_bytes(const Task& task, int from, int to) {
    const std::size_t part_bytes = 2 * task.size_bytes / (task.ranks() + 1);
    const std::size_t left_bytes = 2 * task.size_bytes % (task.ranks() + 1);
    const auto place = static_cast<std::size_t>((from + to) % task.world.size());
    // Half of what is left for each; an odd byte for each of the longer half.
    const std::size_t odd = place >= task.ranks() / 2 ? left_bytes % 2 : 0;
    return static_cast<int>((place + 1) * part_bytes + left_bytes / 2 + odd);
  }

  static mpi::Blocks uneven_blocks(const Task& task) {
    std::vector<int> counts;
    for (int peer = 0; peer < task.world.size(); ++peer) {
      counts.push_back(message_bytes(task, task.world.rank(), peer));
    }
    return mpi::Blocks::of(std::move(counts));
  }

  template <class Bytes>
  std::span<Bytes> part(std::span<Bytes> buffer, int peer) const {
    const auto number = static_cast<std::size_t>(peer);
    return buffer.subspan(static_cast<std::size_t>(blocks_.offsets[number]),
                          static_cast<std::size_t>(blocks_.counts[number]));
  }

  const Task& task_;
  mpi::Collectives all_;
  mpi::Blocks blocks_;
  Memory outgoing_;
  Memory incoming_;
};

struct TwoLevelAlltoallv {
  static constexpr std::string_view why_not =
      "alltoallv has no two-level form: each node's lowest rank would need all lengths "
      "before every call; choose structure=flat";
};

}  // namespace

const Workload alltoallv = define<FlatAlltoallv, TwoLevelAlltoallv>({
    .name = "alltoallv",
    .summary = "different bytes from every rank to every rank, in uneven messages",
});

}  // namespace halocline::workload
