#include "halocline/layout/decomposition.hpp"

#include <gtest/gtest.h>

namespace halocline::layout {
namespace {

constexpr Box global{.lower = {-3, 10, 0, 0}, .upper = {14, 15, 1, 1}};

TEST(DecompositionTest, every_index_has_one_owner) {
  for (const RankGrid& grid : {RankGrid{}, RankGrid{{2, 1, 1, 1}}, RankGrid{{5, 3, 1, 1}},
                               RankGrid{{17, 5, 1, 1}}, RankGrid{{1, 4, 1, 1}}}) {
    const Decomposition decomposition{.global = global, .grid = grid};
    Index covered = 0;
    for (int rank = 0; rank < grid.size(); ++rank) {
      const Box block = decomposition.owned(rank);
      EXPECT_TRUE(global.contains(block));
      covered += block.volume();
      for (int other = 0; other < rank; ++other) {
        EXPECT_TRUE(block.intersection(decomposition.owned(other)).empty());
      }
    }
    EXPECT_EQ(covered, global.volume());
  }
}

TEST(DecompositionTest, longer_blocks_come_first) {
  const Decomposition decomposition{.global = Box::line(11), .grid = {{4, 1, 1, 1}}};
  EXPECT_EQ(decomposition.owned(0), Box::line(3));
  EXPECT_EQ(decomposition.owned(2), Box::line(0).with(0, 6, 9));
  EXPECT_EQ(decomposition.owned(3), Box::line(0).with(0, 9, 11));
  EXPECT_EQ(decomposition.shortest(0), 2);
}

TEST(DecompositionTest, blocks_follow_the_grid_of_ranks) {
  const Decomposition decomposition{.global = {.upper = {512, 1024, 16, 1}},
                                    .grid = {{4, 8, 1, 1}}};
  EXPECT_EQ(decomposition.owned(5), (Box{.lower = {128, 128, 0, 0}, .upper = {256, 256, 16, 1}}));
}

}  // namespace
}  // namespace halocline::layout
