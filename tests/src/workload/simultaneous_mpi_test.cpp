#include "halocline/workload/micro/simultaneous.hpp"

#include <gtest/gtest.h>

#include "halocline/measure/sampler.hpp"
#include "halocline/workload/catalogue.hpp"

namespace halocline::workload {
namespace {

using Texts = std::map<std::string, std::string>;
using Pairs = std::vector<route::Pair>;

class SimultaneousTest : public testing::Test {
 protected:
  void SetUp() override {
    if (world_.size() != 4) {
      GTEST_SKIP() << "these tests know what four ranks do";
    }
  }

  std::unique_ptr<measure::TimedLoop> prepare(std::string_view workload, Texts more) const {
    more.merge(Texts{{"protocol", "isend_irecv"},
                     {"bytes", "100"},
                     {"pattern", "pingpong"},
                     {"direction", "x"},
                     {"grid_y", "1"},
                     {"grid_z", "1"}});
    return find(workload).prepare(AxisValues(more), world_);
  }

  std::string reason(std::string_view workload, const Texts& texts) const {
    try {
      prepare(workload, texts);
    } catch (const Skip& skip) {
      return skip.what();
    }
    return "";
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(SimultaneousTest, all_pairs_are_timed_by_their_lower_ranks) {
  const auto loop = prepare("pairs", {{"pairs", "0"}});
  EXPECT_EQ(loop->pairs(), (Pairs{{0, 2}, {1, 3}}));
  EXPECT_EQ(loop->timed_ranks(), (std::vector{0, 1}));
  EXPECT_EQ(loop->moved_bytes(), 200U);
  EXPECT_EQ(loop->traversals(), 2);
}

TEST_F(SimultaneousTest, both_ends_are_timed_when_both_send) {
  const auto loop = prepare("pairs", {{"pairs", "0"}, {"pattern", "pingping"}});
  EXPECT_EQ(loop->timed_ranks(), (std::vector{0, 2, 1, 3}));
  EXPECT_EQ(loop->moved_bytes(), 400U);
  EXPECT_EQ(loop->traversals(), 1);
}

TEST_F(SimultaneousTest, what_goes_off_node_is_reported_by_those_who_send_it) {
  const auto loop = prepare("pairs", {{"pairs", "0"}});
  EXPECT_EQ(loop->off_node_bytes(std::vector{0, 0, 1, 1}), 100U);
  EXPECT_EQ(loop->off_node_bytes(std::vector{0, 1, 0, 1}), 0U);
  const auto one = prepare("pairs", {{"pairs", "1"}});
  EXPECT_EQ(one->off_node_bytes(std::vector{0, 0, 1, 1}), world_.rank() % 2 == 0 ? 100U : 0U);
}

TEST_F(SimultaneousTest, more_pairs_than_there_are_are_skipped_aloud) {
  EXPECT_EQ(reason("pairs", {{"pairs", "2"}}), "");
  EXPECT_EQ(reason("pairs", {{"pairs", "3"}}),
            "3 pairs, but the ranks form 2; choose fewer pairs or more ranks");
}

TEST_F(SimultaneousTest, only_ranks_in_pairs_need_memory) {
  testing::internal::CaptureStdout();
  prepare("pairs", {{"pairs", "1"}, {"bytes", "12000000"}});
  const std::string announced = testing::internal::GetCapturedStdout();
  EXPECT_EQ(announced.find("memory bytes=48000000 ") != std::string::npos, world_.rank() == 0);
}

TEST_F(SimultaneousTest, contention_is_along_a_direction) {
  const Texts square{{"pairs", "0"}, {"grid_y", "2"}, {"stride", "1"}, {"direction", "y"}};
  EXPECT_EQ(prepare("contention", square)->pairs(), (Pairs{{0, 2}}));
  const Texts squarest{{"pairs", "0"}, {"grid_y", "0"}, {"stride", "1"}, {"direction", "y"}};
  EXPECT_EQ(prepare("contention", squarest)->pairs(), (Pairs{{0, 2}}));
  EXPECT_EQ(prepare("contention", {{"pairs", "0"}, {"stride", "1"}})->pairs(),
            (Pairs{{0, 1}, {2, 3}}));
  EXPECT_EQ(prepare("contention", {{"pairs", "1"}, {"stride", "2"}})->pairs(), (Pairs{{0, 2}}));
  EXPECT_EQ(reason("contention", {{"pairs", "0"}, {"stride", "4"}}),
            "no two ranks are 4 apart along x of 4 × 1 × 1 ranks; choose a smaller stride or "
            "another direction");
  EXPECT_EQ(reason("contention", {{"pairs", "0"}, {"stride", "1"}, {"grid_z", "3"}}),
            "4 ranks do not fill a grid of 1 along y and 3 along z; choose extents whose "
            "product divides the number of ranks");
}

TEST_F(SimultaneousTest, distance_is_one_pair_from_any_rank) {
  EXPECT_EQ(prepare("distance", {{"from", "1"}, {"distance", "2"}})->pairs(), (Pairs{{1, 3}}));
  EXPECT_EQ(
      prepare("distance", {{"from", "1"}, {"distance", "1"}, {"grid_y", "2"}, {"direction", "y"}})
          ->pairs(),
      (Pairs{{1, 3}}));
  EXPECT_EQ(
      reason("distance", {{"from", "1"}, {"distance", "3"}}),
      "no rank is at distance 3 from rank 1 along x of 4 × 1 × 1 ranks; the farthest is 2 away");
  EXPECT_EQ(reason("distance", {{"from", "4"}, {"distance", "1"}}),
            "rank 4 does not exist among 4; choose from=0 to from=3");
}

TEST_F(SimultaneousTest, ranks_that_rest_do_not_count) {
  const auto loop = prepare("distance", {{"from", "1"}, {"distance", "2"}});
  const measure::Samples samples =
      measure::sample(*loop, {.half_width_relative = 0.5, .longest = Seconds{0.02}}, world_, [] {});
  EXPECT_EQ(samples.timed_ranks, std::vector{1});
  if (world_.rank() == 0) {
    ASSERT_EQ(samples.elapsed_s.size(), 1U);
    for (const double elapsed_s : samples.elapsed_s[0]) {
      EXPECT_GT(elapsed_s, 0);
    }
  }
}

}  // namespace
}  // namespace halocline::workload
