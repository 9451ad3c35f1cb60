#include "halocline/workload/collective/blocks.hpp"
#include "halocline/workload/collective/loop.hpp"

namespace halocline::workload {

extern const Workload bcast;

namespace {

class BcastBase {
 public:
  static Buffers buffers(const Task& task) { return alike_on_all_ranks(task.buffer_bytes(1)); }

  explicit BcastBase(const Task& task) : task_(task), payload_(task.buffer_bytes(1), task.pages) {}

  void write(std::uint64_t seed) {
    const Origin origin{.seed = seed, .from = 0, .to = 0};
    if (task_.world.rank() == 0) {
      fill_block(payload_.bytes(), origin);
    } else {
      spoil_block(payload_.bytes(), origin);
    }
  }
  std::optional<std::string> difference(std::uint64_t seed) const {
    return block_difference(payload_.bytes(), {.seed = seed, .from = 0, .to = 0},
                            task_.world.rank());
  }
  std::size_t moved_bytes() const { return (task_.ranks() - 1) * task_.size_bytes; }
  /// Whoever sends it: once to each other node.
  std::size_t off_node_bytes() const {
    return task_.world.rank() == 0 ? (task_.nodes() - 1) * task_.size_bytes : 0;
  }

 protected:
  const Task& task_;
  Memory payload_;
};

class FlatBcast final : public BcastBase {
 public:
  explicit FlatBcast(const Task& task) : BcastBase(task), all_(task.world) {}
  void run() { all_.broadcast(payload_.bytes(), 0); }

 private:
  mpi::Collectives all_;
};

class TwoLevelBcast final : public BcastBase {
 public:
  explicit TwoLevelBcast(const Task& task) : BcastBase(task), levels_(task) {}
  void run() {
    if (levels_.leads()) {
      levels_.leaders().broadcast(payload_.bytes(), 0);
    }
    levels_.node().broadcast(payload_.bytes(), 0);
  }

 private:
  Levels levels_;
};

}  // namespace

const Workload bcast = define<FlatBcast, TwoLevelBcast>({
    .name = "bcast",
    .summary = "rank 0's bytes to all ranks",
});

}  // namespace halocline::workload
