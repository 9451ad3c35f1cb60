#include <gtest/gtest.h>

#include "halocline/measure/sampler.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/kernel/loop.hpp"

namespace halocline::workload {
namespace {

using Axes = std::map<std::string, std::string>;

std::unique_ptr<measure::TimedLoop> prepare(const char* name, const Axes& axes,
                                            const mpi::Communicator& world,
                                            const Setting& setting = {}) {
  return find(name).prepare(AxisValues(axes, setting), world);
}

class KernelTest : public testing::TestWithParam<std::pair<const char*, Axes>> {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(KernelTest, verifies_and_is_timed_on_the_ranks_that_compute) {
  auto [name, axes] = GetParam();
  for (const char* active : {"one", "all"}) {
    axes["active"] = active;
    const auto loop = prepare(name, axes, world_);
    EXPECT_EQ(loop->verify(1), std::nullopt);
    const measure::Samples samples = measure::sample(
        *loop, {.half_width_relative = 0.5, .longest = Seconds{0.005}}, world_, [] {});
    EXPECT_EQ(loop->verify(2), std::nullopt);
    const std::size_t rows =
        active == std::string{"all"} ? static_cast<std::size_t>(world_.size()) : 1;
    EXPECT_EQ(samples.timed_ranks.size(), rows);
    if (world_.rank() == 0) {
      EXPECT_EQ(samples.elapsed_s.size(), rows);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, KernelTest,
    testing::Values(std::pair{"memory_copy", Axes{{"bytes", "1000"}, {"stores", "plain"}}},
                    std::pair{"memory_copy", Axes{{"bytes", "65536"}, {"stores", "streaming"}}},
                    std::pair{"stream_triad", Axes{{"bytes", "1000"}, {"stores", "plain"}}},
                    std::pair{"stream_triad", Axes{{"bytes", "65536"}, {"stores", "streaming"}}},
                    std::pair{"dgemm", Axes{{"n", "1"}}}, std::pair{"dgemm", Axes{{"n", "100"}}}));

TEST(KernelsTest, count_what_one_rank_moves_and_computes) {
  const auto world = mpi::Communicator::world();
  const auto copy =
      prepare("memory_copy", {{"bytes", "4096"}, {"active", "all"}, {"stores", "plain"}}, world);
  EXPECT_EQ(copy->moved_bytes(), 4096U);
  const auto triad =
      prepare("stream_triad", {{"bytes", "4096"}, {"active", "all"}, {"stores", "plain"}}, world);
  EXPECT_EQ(triad->moved_bytes(), 3 * 4096U);
  EXPECT_EQ(triad->operations(), 1024);
  const auto product = prepare("dgemm", {{"n", "100"}, {"active", "all"}}, world);
  EXPECT_EQ(product->operations(), 2'000'000);
}

TEST(KernelsTest, ranks_that_sleep_have_the_shortest_arrays_and_none_overfill_a_node) {
  const auto world = mpi::Communicator::world();
  const std::size_t long_bytes = 4096;
  EXPECT_EQ(own_array_bytes(long_bytes, 2, true, world), long_bytes);
  EXPECT_EQ(own_array_bytes(long_bytes, 2, false, world), world.rank() == 0 ? long_bytes : 64U);
  EXPECT_THROW(own_array_bytes(std::size_t{1} << 50U, 3, false, world), Skip);
}

TEST(KernelsTest, what_cannot_be_measured_is_skipped_with_the_reason) {
  const auto world = mpi::Communicator::world();
  Setting nowhere;
  nowhere.openblas = "/none/libopenblas.so";
  EXPECT_THROW(prepare("dgemm", {{"n", "8"}, {"active", "all"}}, world, nowhere), Skip);
  EXPECT_THROW(
      prepare("stream_triad", {{"bytes", "12"}, {"active", "all"}, {"stores", "plain"}}, world),
      Skip);
}

}  // namespace
}  // namespace halocline::workload
