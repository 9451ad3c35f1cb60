#include "halocline/workload/collective/loop.hpp"
#include "halocline/workload/collective/sums.hpp"

namespace halocline::workload {

extern const Workload allreduce;

namespace {

class AllreduceBase {
 public:
  static Buffers buffers(const Task& task) { return Sums::buffers(task); }

  explicit AllreduceBase(const Task& task) : task_(task), sums_(task) {}

  void write(std::uint64_t seed) { sums_.write(seed); }
  std::optional<std::string> difference(std::uint64_t seed) const { return sums_.difference(seed); }
  /// Each number must reach one rank from all others, and its sum must reach all others.
  std::size_t moved_bytes() const { return 2 * (task_.ranks() - 1) * task_.size_bytes; }
  std::size_t off_node_bytes() const {
    return task_.leads() && task_.nodes() > 1 ? task_.size_bytes : 0;
  }

 protected:
  const Task& task_;
  Sums sums_;
};

class FlatAllreduce final : public AllreduceBase {
 public:
  explicit FlatAllreduce(const Task& task) : AllreduceBase(task), all_(task.world) {}
  void run() { all_.all_reduce(sums_.own(), sums_.sum()); }

 private:
  mpi::Collectives all_;
};

/// Each node's sum on its lowest rank, the sum over these ranks, and back to all.
class TwoLevelAllreduce final : public AllreduceBase {
 public:
  explicit TwoLevelAllreduce(const Task& task) : AllreduceBase(task), levels_(task) {}
  void run() {
    levels_.node().reduce(sums_.own(), sums_.part(), 0);
    if (levels_.leads()) {
      levels_.leaders().all_reduce(sums_.part(), sums_.sum());
    }
    levels_.node().broadcast(std::as_writable_bytes(sums_.sum()), 0);
  }

 private:
  Levels levels_;
};

}  // namespace

const Workload allreduce = define<FlatAllreduce, TwoLevelAllreduce>({
    .name = "allreduce",
    .summary = "the sum over all ranks, on all ranks",
});

}  // namespace halocline::workload
