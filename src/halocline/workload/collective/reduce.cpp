#include "halocline/workload/collective/loop.hpp"
#include "halocline/workload/collective/sums.hpp"

namespace halocline::workload {

extern const Workload reduce;

namespace {

class ReduceBase {
 public:
  static Buffers buffers(const Task& task) { return Sums::buffers(task); }

  explicit ReduceBase(const Task& task) : task_(task), sums_(task) {}

  void write(std::uint64_t seed) { sums_.write(seed); }
  std::optional<std::string> difference(std::uint64_t seed) const {
    return task_.world.rank() == 0 ? sums_.difference(seed) : std::nullopt;
  }
  std::size_t moved_bytes() const { return (task_.ranks() - 1) * task_.size_bytes; }
  std::size_t off_node_bytes() const {
    return task_.leads() && task_.world.rank() != 0 ? task_.size_bytes : 0;
  }

 protected:
  const Task& task_;
  Sums sums_;
};

class FlatReduce final : public ReduceBase {
 public:
  explicit FlatReduce(const Task& task) : ReduceBase(task), all_(task.world) {}
  void run() { all_.reduce(sums_.own(), sums_.sum(), 0); }

 private:
  mpi::Collectives all_;
};

class TwoLevelReduce final : public ReduceBase {
 public:
  explicit TwoLevelReduce(const Task& task) : ReduceBase(task), levels_(task) {}
  void run() {
    levels_.node().reduce(sums_.own(), sums_.part(), 0);
    if (levels_.leads()) {
      levels_.leaders().reduce(sums_.part(), sums_.sum(), 0);
    }
  }

 private:
  Levels levels_;
};

}  // namespace

const Workload reduce = define<FlatReduce, TwoLevelReduce>({
    .name = "reduce",
    .summary = "the sum over all ranks, on rank 0",
});

}  // namespace halocline::workload
