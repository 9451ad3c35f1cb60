#include "halocline/measure/shared_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace halocline::measure {
namespace {

/// What the clock of a rank shows when it is set apart from the others, and runs too fast.
Seconds falsified(int rank, double drift) {
  return (1 + rank * drift) * now() + Seconds{rank * 7.5};
}

TEST(SharedClockTest, ranks_of_one_node_share_a_clock) {
  const auto world = mpi::Communicator::world();
  SharedClock clock;
  EXPECT_TRUE(clock.is_stale());
  clock.synchronise(world);
  EXPECT_EQ(clock.clocks(), 1);
  EXPECT_EQ(clock.state().error, Seconds{0});
  EXPECT_FALSE(clock.is_stale());
  const Seconds before = now();
  const Seconds between = clock.now();
  EXPECT_LE(before, between);
  EXPECT_LE(between, now());
}

class FalsifiedClockTest : public testing::TestWithParam<double> {};

// All ranks read one clock, which is falsified by known amounts: the error is known exactly.
TEST_P(FalsifiedClockTest, now_is_rank_0s_time_within_the_bound) {
  const auto world = mpi::Communicator::world();
  const double drift = GetParam();
  SharedClock clock([rank = world.rank(), drift] { return falsified(rank, drift); });
  for (int comparison = 0; comparison < 10; ++comparison) {
    const Seconds begin = now();
    clock.synchronise(world);
    const Seconds before = now();
    const Seconds agreed = clock.now();
    const Seconds after = now();
    // What is drifted since then, should the drift not be known at all, is not in the bound; a rank
    // that loses its core drifts for long. Where there is none, some is learnt from noise.
    const double most_drift = std::max(drift, 2e-5);
    const Seconds allowed = clock.state().error + most_drift * (after - begin + Seconds{0.1});
    EXPECT_LE(before - allowed, agreed) << world.rank();
    EXPECT_LE(agreed, after + allowed) << world.rank();
    if (comparison == 9 && world.rank() == world.size() - 1) {
      std::printf("rank %d: wrong by %.3g us, residual %.3g us, bound %.3g us\n", world.rank(),
                  1e6 * (agreed - (before + after) / 2).count(),
                  1e6 * clock.state().residual.count(), 1e6 * clock.state().error.count());
    }
  }
  EXPECT_EQ(clock.clocks(), world.size());
}

INSTANTIATE_TEST_SUITE_P(Drifts, FalsifiedClockTest, testing::Values(0.0, 2e-5));

}  // namespace
}  // namespace halocline::measure
