#include "halocline/layout/points.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "support/problem.hpp"

namespace halocline::layout {
namespace {

using test::problem;

std::vector<std::tuple<Index, Index, Index>> runs(const Points& points) {
  std::vector<std::tuple<Index, Index, Index>> all;
  for (const Points::Run& run : points.runs()) {
    all.emplace_back(run.number, run.position, run.length);
  }
  return all;
}

TEST(PointsTest, a_list_keeps_its_order_and_is_taken_in_runs) {
  const std::vector<Index> numbers{7, 8, 9, 3, 2, 10, 11};
  const Points points(numbers, Box{}.with(1, 0, 5));
  EXPECT_EQ(runs(points), (std::vector<std::tuple<Index, Index, Index>>{
                              {7, 0, 3}, {3, 3, 1}, {2, 4, 1}, {10, 5, 2}}));
  EXPECT_EQ(points.place(5, 2).box, Box{}.with(0, 5, 7).with(1, 0, 5));
  EXPECT_EQ(points.place(5, 2).part, 0);
}

TEST(PointsTest, no_points_have_no_runs) {
  EXPECT_TRUE(Points(std::span<const Index>{}).runs().empty());
  const Blocks blocks({Cuts::even({.lower = 0, .upper = 8}, 2)});
  EXPECT_TRUE(Points::of(blocks, 2).runs().empty());
}

TEST(PointsTest, a_block_is_numbered_over_the_grid_row_by_row) {
  const Blocks blocks(
      {Cuts::even({.lower = 10, .upper = 16}, 2), Cuts::even({.lower = -1, .upper = 3}, 2)});
  const Points points = Points::of(blocks, 3);
  // Between the rows a position is left out.
  EXPECT_EQ(runs(points), (std::vector<std::tuple<Index, Index, Index>>{{15, 0, 3}, {21, 4, 3}}));
  EXPECT_EQ(points.place(5, 2).box, Box{}.with(0, 14, 16).with(1, 2, 3));
}

TEST(PointsTest, rows_of_full_width_do_not_run_into_one_another) {
  const Points points = Points::of(
      Blocks({Cuts::even({.lower = 0, .upper = 4}, 1), Cuts::even({.lower = 0, .upper = 2}, 1)}),
      0);
  EXPECT_EQ(runs(points), (std::vector<std::tuple<Index, Index, Index>>{{0, 0, 4}, {4, 5, 4}}));
}

TEST(PointsTest, blocks_that_are_dealt_in_turn_lie_side_by_side) {
  const Blocks blocks({Cuts::cyclic({.lower = 0, .upper = 12}, 2, 3)});
  const Points points = Points::of(blocks, 1);
  EXPECT_EQ(runs(points), (std::vector<std::tuple<Index, Index, Index>>{{2, 0, 2}, {8, 2, 2}}));
  EXPECT_EQ(points.place(1, 2).box, Box{}.with(0, 3, 5));
}

TEST(PointsTest, each_block_of_a_rank_is_a_part) {
  const Blocks blocks({Cuts::even({.lower = 0, .upper = 8}, 4)}, std::vector{0, 1, 1, 0});
  const Points points = Points::of(blocks, 0);
  EXPECT_EQ(runs(points), (std::vector<std::tuple<Index, Index, Index>>{{0, 0, 2}, {6, 3, 2}}));
  EXPECT_EQ(points.place(3, 2).part, 1);
  EXPECT_EQ(points.place(3, 2).box, Box{}.with(0, 6, 8));
}

TEST(PointsTest, what_does_not_number_the_points_is_carried_whole) {
  const Blocks blocks({Cuts::even({.lower = 0, .upper = 6}, 2),
                       Cuts::even({.lower = 0, .upper = 2}, 1),
                       Cuts::even({.lower = 1, .upper = 31}, 1)});
  const Points points = Points::of(blocks, 1, 2);
  EXPECT_EQ(runs(points), (std::vector<std::tuple<Index, Index, Index>>{{3, 0, 3}, {9, 4, 3}}));
  EXPECT_EQ(points.place(4, 3).box, Box{}.with(0, 3, 6).with(1, 1, 2).with(2, 1, 31));
  EXPECT_EQ(points.each(), Box{}.with(2, 1, 31));
}

TEST(PointsTest, dimensions_that_cannot_be_carried_whole_are_reported) {
  const Cuts halves = Cuts::even({.lower = 0, .upper = 8}, 2);
  const Blocks blocks({halves, halves, halves});
  EXPECT_EQ(problem([&] { Points::of(blocks, 0, 2); }),
            "points numbered over 2 dimensions of a layout that cuts dimension 3 into 2 parts; "
            "allowed: 1; number the points over more dimensions");
  EXPECT_EQ(problem([&] { Points::of(blocks, 0, 0); }),
            "points numbered over 0 dimensions; allowed: 1 to 4; name the first dimensions that "
            "number them");
}

}  // namespace
}  // namespace halocline::layout
