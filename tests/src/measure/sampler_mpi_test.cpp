#include "halocline/measure/sampler.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace halocline::measure {
namespace {

/// Does nothing for a while; counts what it is asked.
class Idle final : public TimedLoop {
 public:
  explicit Idle(TimedRanks timed_ranks) : timed_ranks_(timed_ranks) {}
  void synchronise() override { ++synchronised; }
  void run(std::int64_t iterations) override {
    for (std::int64_t step = 0; step < iterations * 100; ++step) {
      std::atomic_signal_fence(std::memory_order_seq_cst);  // keeps the empty loop
    }
    ++batches;
    last_iterations = iterations;
  }
  std::optional<std::string> verify(std::uint64_t /*seed*/) override { return std::nullopt; }
  std::int64_t traversals() const override { return 2; }
  std::size_t moved_bytes() const override { return 0; }
  TimedRanks timed_ranks() const override { return timed_ranks_; }

  std::int64_t synchronised = 0;
  std::int64_t batches = 0;
  std::int64_t last_iterations = 0;

 private:
  TimedRanks timed_ranks_;
};

class SamplerTest : public testing::TestWithParam<TimedRanks> {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(SamplerTest, rank_0_has_a_column_for_each_batch) {
  Idle loop(GetParam());
  int alive = 0;
  const Samples samples = sample(loop, {.half_width_relative = 0.5, .longest = Seconds{0.02}},
                                 world_, [&] { ++alive; });
  EXPECT_GT(alive, 0);
  EXPECT_EQ(loop.synchronised, loop.batches);
  EXPECT_EQ(samples.repeats, 2 * loop.last_iterations);
  if (world_.rank() != 0) {
    EXPECT_TRUE(samples.elapsed_s.empty());
    return;
  }
  const std::size_t rows =
      GetParam() == TimedRanks::all ? static_cast<std::size_t>(world_.size()) : 1;
  ASSERT_EQ(samples.elapsed_s.size(), rows);
  EXPECT_GT(samples.preempted.size(), 0U);
  for (const auto& row : samples.elapsed_s) {
    EXPECT_EQ(row.size(), samples.preempted.size());
    for (const double elapsed_s : row) {
      EXPECT_GT(elapsed_s, 0.0);
    }
  }
}

TEST_P(SamplerTest, every_rank_runs_as_often) {
  Idle loop(GetParam());
  sample(loop, {.half_width_relative = 1e-9, .longest = Seconds{0.01}}, world_, [] {});
  EXPECT_EQ(world_.broadcast(loop.batches), loop.batches);
}

INSTANTIATE_TEST_SUITE_P(TimedRanks, SamplerTest,
                         testing::Values(TimedRanks::first, TimedRanks::all),
                         [](const auto& instance) {
                           return instance.param == TimedRanks::first ? "first" : "all";
                         });

}  // namespace
}  // namespace halocline::measure
