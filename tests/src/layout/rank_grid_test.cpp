#include "halocline/layout/rank_grid.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace halocline::layout {
namespace {

TEST(RankGridTest, counts_along_the_first_dimension_first) {
  constexpr RankGrid grid{{4, 3, 2, 1}};
  EXPECT_EQ(grid.size(), 24);
  EXPECT_EQ(grid.place(0), (RankGrid::Place{0, 0, 0, 0}));
  EXPECT_EQ(grid.place(5), (RankGrid::Place{1, 1, 0, 0}));
  EXPECT_EQ(grid.place(23), (RankGrid::Place{3, 2, 1, 0}));
}

TEST(RankGridTest, rank_is_the_inverse_of_place) {
  constexpr RankGrid grid{{3, 2, 5, 2}};
  for (int rank = 0; rank < grid.size(); ++rank) {
    EXPECT_EQ(grid.rank(grid.place(rank)), rank);
  }
}

TEST(RankGridTest, steps_there_and_back_lead_home_round_the_ends) {
  constexpr RankGrid grid{{4, 3, 2, 1}};
  for (int rank = 0; rank < grid.size(); ++rank) {
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      for (int steps = -5; steps <= 5; ++steps) {
        const int there = grid.neighbour(rank, dimension, steps);
        EXPECT_EQ(grid.neighbour(there, dimension, -steps), rank);
      }
      EXPECT_EQ(grid.neighbour(rank, dimension, grid.extent[dimension]), rank);
    }
  }
  EXPECT_EQ(grid.neighbour(3, 0, 1), 0);
  EXPECT_EQ(grid.neighbour(0, 1, -1), 8);
  EXPECT_EQ(grid.neighbour(0, 2, 1), 12);
}

TEST(RankGridTest, no_other_grid_of_as_many_ranks_is_nearer_to_a_square) {
  for (int ranks = 1; ranks <= 200; ++ranks) {
    const RankGrid grid = near_square(ranks);
    ASSERT_EQ(grid.size(), ranks);
    EXPECT_GE(grid.extent[0], grid.extent[1]);
    for (int x = 1; x <= ranks; ++x) {
      if (ranks % x == 0) {
        EXPECT_LE(grid.extent[0] - grid.extent[1], std::abs(x - ranks / x));
      }
    }
  }
  EXPECT_EQ(near_square(12), (RankGrid{{4, 3, 1, 1}}));
  EXPECT_EQ(near_square(7), (RankGrid{{7, 1, 1, 1}}));
}

}  // namespace
}  // namespace halocline::layout
