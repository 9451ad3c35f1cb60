#include "halocline/route/pairs.hpp"

#include <gtest/gtest.h>

namespace halocline::route {
namespace {

const layout::Box box = layout::Box::line(8);

TEST(PairsTest, one_way_gives_each_end_its_part) {
  EXPECT_EQ(one_way(2, 2, 5, box), (Route{.sends = {{.peer = 5, .box = box}}, .receives = {}}));
  EXPECT_EQ(one_way(5, 2, 5, box), (Route{.sends = {}, .receives = {{.peer = 2, .box = box}}}));
  EXPECT_EQ(one_way(3, 2, 5, box), Route{});
}

TEST(PairsTest, both_ways_is_its_own_reverse) {
  for (const int rank : {0, 1, 2}) {
    const Route swap = both_ways(rank, 0, 1, box);
    EXPECT_EQ(swap, swap.reversed()) << "rank " << rank;
    EXPECT_EQ(swap.sends.size(), rank < 2 ? 1U : 0U);
  }
}

TEST(PairsTest, halves_are_paired_rank_by_rank) {
  EXPECT_EQ(across_halves(2), (std::vector<Pair>{{0, 1}}));
  EXPECT_EQ(across_halves(6), (std::vector<Pair>{{0, 3}, {1, 4}, {2, 5}}));
}

TEST(PairsTest, a_line_is_paired_at_the_stride) {
  const layout::RankGrid line{{8, 1, 1, 1}};
  EXPECT_EQ(along(line, 0, 1), (std::vector<Pair>{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(along(line, 0, 2), (std::vector<Pair>{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(along(line, 0, 3), (std::vector<Pair>{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(along(line, 0, 7), (std::vector<Pair>{{0, 7}}));
  EXPECT_EQ(along(line, 0, 8), std::vector<Pair>{});
}

TEST(PairsTest, a_direction_of_a_grid_is_its_line_through_rank_0) {
  const layout::RankGrid grid{{2, 4, 3, 1}};
  EXPECT_EQ(along(grid, 0, 1), (std::vector<Pair>{{0, 1}}));
  EXPECT_EQ(along(grid, 1, 1), (std::vector<Pair>{{0, 2}, {4, 6}}));
  EXPECT_EQ(along(grid, 2, 2), (std::vector<Pair>{{0, 16}}));
}

TEST(PairsTest, no_rank_is_in_two_pairs) {
  for (int ranks = 2; ranks <= 20; ++ranks) {
    for (int stride = 1; stride < ranks; ++stride) {
      std::vector<int> times(static_cast<std::size_t>(ranks));
      for (const Pair& pair : along({{ranks, 1, 1, 1}}, 0, stride)) {
        EXPECT_EQ(pair.second - pair.first, stride);
        EXPECT_EQ(++times[static_cast<std::size_t>(pair.first)], 1);
        EXPECT_EQ(++times[static_cast<std::size_t>(pair.second)], 1);
      }
    }
  }
}

}  // namespace
}  // namespace halocline::route
