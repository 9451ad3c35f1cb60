#include <array>

#include "halocline/base/pattern.hpp"
#include "halocline/numerics/multiply_adds.hpp"
#include "halocline/workload/kernel/loop.hpp"

namespace halocline::workload {

extern const Workload multiply_add;

namespace {

using numerics::MultiplyAdds;

constexpr unsigned start_bits = 20;
constexpr double summand = 3.0;

/// The time depends on the clock alone: no memory, no library.
class Chains final {
 public:
  explicit Chains(std::int64_t operations)
      : rounds_((operations + operations_of_a_round() - 1) / operations_of_a_round()) {}

  void run() { kernel().run(start_.data(), factor_, summand, rounds_, result_.data()); }

  void write(std::uint64_t seed) {
    for (std::size_t lane = 0; lane < kernel().lanes; ++lane) {
      start_[lane] = static_cast<double>(pattern_word(seed, lane) >> (64U - start_bits));
      result_[lane] = -1;
    }
  }

  /// Exact: all numbers are whole and stay below 2^53.
  std::optional<std::string> difference(std::uint64_t seed) const {
    for (std::size_t lane = 0; lane < kernel().lanes; ++lane) {
      const auto start = static_cast<double>(pattern_word(seed, lane) >> (64U - start_bits));
      const double expected = start + summand * static_cast<double>(rounds_);
      if (result_[lane] != expected) {
        return "lane " + std::to_string(lane) + " as " + std::to_string(result_[lane]) +
               ", expected " + std::to_string(expected);
      }
    }
    return std::nullopt;
  }

  std::size_t moved_bytes() const { return 0; }
  std::int64_t operations() const { return rounds_ * operations_of_a_round(); }

 private:
  static const MultiplyAdds& kernel() { return numerics::multiply_adds(); }
  static std::int64_t operations_of_a_round() {
    return 2 * static_cast<std::int64_t>(kernel().lanes);
  }

  std::int64_t rounds_;
  volatile double factor_ = 1.0;  // not known to the compiler
  std::array<double, MultiplyAdds::most_lanes> start_{};
  std::array<double, MultiplyAdds::most_lanes> result_{};
};

const IntegerAxis& operations_axis() {
  static const IntegerAxis axis{.name = "operations",
                                .unit = "",
                                .low = 192,
                                .high = 1'000'000'000'000,
                                .defaults = {38'400'000},
                                .verified = {192'000}};
  return axis;
}

}  // namespace

const Workload multiply_add{
    .name = "multiply_add",
    .summary =
        "multiply-adds of doubles in registers, with the widest instructions: what a core's "
        "arithmetic can reach, by one rank or by each of all at once",
    .ranks_minimum = 1,
    .ranks_maximum = any_number_of_ranks,
    .over_protocols = false,
    .axes = {operations_axis(), active_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& world) -> std::unique_ptr<measure::TimedLoop> {
      require_real_machine();
      return std::make_unique<KernelLoop<Chains>>(world, values.choice(active_axis()) == "all",
                                                  values.integer(operations_axis()));
    },
};

}  // namespace halocline::workload
