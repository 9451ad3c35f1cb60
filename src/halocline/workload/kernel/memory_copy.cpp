#include "halocline/base/pattern.hpp"
#include "halocline/numerics/streams.hpp"
#include "halocline/workload/kernel/loop.hpp"

namespace halocline::workload {

extern const Workload memory_copy;

namespace {

class Copy final {
 public:
  Copy(std::size_t size_bytes, bool streaming, Pages pages)
      : streaming_(streaming), source_(size_bytes, pages), target_(size_bytes, pages) {}

  void run() {
    if (streaming_) {
      numerics::copy_streaming(target_.bytes(), source_.bytes());
    } else {
      numerics::copy(target_.bytes(), source_.bytes());
    }
  }

  void write(std::uint64_t seed) {
    fill_pattern(source_.bytes(), seed);
    std::ranges::transform(source_.bytes(), target_.bytes().begin(),
                           [](std::byte byte) { return ~byte; });
  }

  std::optional<std::string> difference(std::uint64_t seed) const {
    const auto index = first_difference(target_.bytes(), seed);
    return index ? std::optional("byte " + std::to_string(*index) + " of the copy wrongly")
                 : std::nullopt;
  }

  std::size_t moved_bytes() const { return target_.bytes().size(); }
  std::int64_t operations() const { return 0; }

 private:
  bool streaming_;
  Memory source_;
  Memory target_;
};

}  // namespace

const Workload memory_copy{
    .name = "memory_copy",
    .summary = "bytes copied from one array to another, by one rank or by each of all at once",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .over_protocols = false,
    .axes = {array_bytes_axis(), active_axis(), stores_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      const auto size_bytes = static_cast<std::size_t>(values.integer(array_bytes_axis()));
      const bool streaming = values.choice(stores_axis()) == "streaming";
      require_real_machine();
      require_stores(streaming, size_bytes);
      const bool all = values.choice(active_axis()) == "all";
      return std::make_unique<KernelLoop<Copy>>(
          world, all, own_array_bytes(size_bytes, 2, all, world), streaming, values.pages());
    },
};

}  // namespace halocline::workload
