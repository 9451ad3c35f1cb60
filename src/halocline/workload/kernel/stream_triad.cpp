#include "halocline/base/pattern.hpp"
#include "halocline/numerics/streams.hpp"
#include "halocline/workload/kernel/loop.hpp"

namespace halocline::workload {

extern const Workload stream_triad;

namespace {

constexpr double factor = 3.0;

/// Whole numbers, so that the result is exact.
double number_of(std::uint64_t seed, std::size_t index) {
  return static_cast<double>(pattern_word(seed, index) >> 44U);
}

class Triad final {
 public:
  Triad(std::size_t size_bytes, bool streaming, Pages pages)
      : streaming_(streaming),
        a_(size_bytes / sizeof(double), pages),
        b_(size_bytes / sizeof(double), pages),
        c_(size_bytes / sizeof(double), pages) {}

  void run() {
    if (streaming_) {
      numerics::triad_streaming(a_.numbers(), b_.numbers(), c_.numbers(), factor);
    } else {
      numerics::triad(a_.numbers(), b_.numbers(), c_.numbers(), factor);
    }
  }

  void write(std::uint64_t seed) {
    for (std::size_t index = 0; index < a_.numbers().size(); ++index) {
      a_.numbers()[index] = -1;
      b_.numbers()[index] = number_of(seed, index);
      c_.numbers()[index] = number_of(seed + 1, index);
    }
  }

  std::optional<std::string> difference(std::uint64_t seed) const {
    for (std::size_t index = 0; index < a_.numbers().size(); ++index) {
      const double expected = number_of(seed, index) + factor * number_of(seed + 1, index);
      if (a_.numbers()[index] != expected) {
        return "element " + std::to_string(index) + " as " + std::to_string(a_.numbers()[index]) +
               ", expected " + std::to_string(expected);
      }
    }
    return std::nullopt;
  }

  /// As STREAM counts: two arrays read, one written.
  std::size_t moved_bytes() const { return 3 * a_.numbers().size_bytes(); }
  std::int64_t operations() const { return 2 * static_cast<std::int64_t>(a_.numbers().size()); }

 private:
  bool streaming_;
  NumberArray a_;
  NumberArray b_;
  NumberArray c_;
};

}  // namespace

const Workload stream_triad{
    .name = "stream_triad",
    .summary = "a = b + 3 c over arrays of doubles, by one rank or by each of all at once",
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
      return std::make_unique<KernelLoop<Triad>>(
          world, all, own_array_bytes(size_bytes, 3, all, world), streaming, values.pages());
    },
};

}  // namespace halocline::workload
