#include "halocline/layout/ocean_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "halocline/base/error.hpp"

namespace halocline::layout {
namespace {

constexpr std::array distributions{Distribution::cartesian, Distribution::rake,
                                   Distribution::space_filling_curve};

/// An ocean with an island, and a continent in its south-western quarter.
std::int64_t ocean_cells(const Box& box) {
  std::int64_t cells = 0;
  for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
    for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
      const bool continent = i < 32 && j < 24;
      const bool island = i == 50 && j == 40;
      cells += continent || island ? 0 : 1;
    }
  }
  return cells;
}

TEST(OceanBlocksTest, every_block_with_ocean_has_one_owner_and_land_has_none) {
  for (const Distribution distribution : distributions) {
    for (const int ranks : {1, 2, 3, 4, 6, 12}) {
      const Blocks blocks = ocean_blocks(64, 50, 8, 8, ocean_cells, distribution, ranks);
      std::int64_t cells = 0;
      for (int place = 0; place < blocks.places(); ++place) {
        const std::int64_t own = ocean_cells(blocks.local(place));
        EXPECT_EQ(blocks.owner(place) == nobody, own == 0);
        EXPECT_LT(blocks.owner(place), ranks);
        cells += own;
      }
      const auto works = work_of_ranks(blocks, ocean_cells);
      EXPECT_EQ(std::accumulate(works.begin(), works.end(), std::int64_t{0}), cells);
      EXPECT_EQ(cells, 64 * 50 - 32 * 24 - 1);
    }
  }
}

TEST(OceanBlocksTest, rake_and_curve_share_the_work_more_evenly) {
  const auto largest = [](Distribution distribution) {
    return std::ranges::max(
        work_of_ranks(ocean_blocks(64, 50, 4, 4, ocean_cells, distribution, 8), ocean_cells));
  };
  const std::int64_t even = (64 * 50 - 32 * 24) / 8;
  EXPECT_GT(largest(Distribution::cartesian), even * 5 / 4);
  EXPECT_LT(largest(Distribution::rake), even * 23 / 20);
  EXPECT_LT(largest(Distribution::space_filling_curve), even * 21 / 20);
}

TEST(OceanBlocksTest, rectangles_are_those_of_the_requested_grid_of_ranks) {
  const auto sea = [](const Box& box) { return box.volume(); };
  for (const int along_y : {1, 2, 3, 6}) {
    const Blocks blocks = ocean_blocks(60, 48, 10, 8, sea, Distribution::cartesian, 6, along_y);
    const Index columns = 60 / (6 / along_y);
    const Index rows = 48 / along_y;
    for (int place = 0; place < blocks.places(); ++place) {
      const Box box = blocks.local(place);
      EXPECT_EQ(blocks.owner(place), box.lower[0] / columns + box.lower[1] / rows * (6 / along_y));
    }
  }
  EXPECT_EQ(ocean_blocks(60, 48, 10, 8, sea, Distribution::cartesian, 6),
            ocean_blocks(60, 48, 10, 8, sea, Distribution::cartesian, 6, 2));
  // Two ranks along x, but three blocks along y for four ranks; no four of six ranks along y.
  EXPECT_THROW(ocean_blocks(60, 48, 10, 16, sea, Distribution::cartesian, 8, 4), Error);
  EXPECT_THROW(ocean_blocks(60, 48, 10, 8, sea, Distribution::cartesian, 6, 4), Error);
}

TEST(OceanBlocksTest, the_curve_goes_from_neighbour_to_neighbour) {
  const auto all = [](const Box& /*box*/) { return std::int64_t{1}; };
  const Blocks blocks =
      ocean_blocks(8, 8, 1, 1, all, Distribution::space_filling_curve, 64);  // rank is step
  for (int rank = 1; rank < 64; ++rank) {
    const auto before = blocks.parts().place(blocks.places_of(rank - 1).front());
    const auto here = blocks.parts().place(blocks.places_of(rank).front());
    EXPECT_EQ(std::abs(here[0] - before[0]) + std::abs(here[1] - before[1]), 1);
  }
}

TEST(OceanBlocksTest, says_what_cannot_be_distributed) {
  const auto land = [](const Box& /*box*/) { return std::int64_t{0}; };
  for (const Distribution distribution : distributions) {
    EXPECT_THROW(ocean_blocks(8, 8, 4, 4, land, distribution, 1), Error);
    EXPECT_THROW(ocean_blocks(64, 50, 32, 25, ocean_cells, distribution, 5), Error);
    EXPECT_THROW(ocean_blocks(8, 8, 0, 4, ocean_cells, distribution, 1), Error);
  }
  // 5 ranks make no rectangles of 4 x 4 blocks; a curve has no such limit.
  const auto sea = [](const Box& box) { return box.volume(); };
  EXPECT_THROW(ocean_blocks(16, 16, 4, 4, sea, Distribution::cartesian, 5), Error);
  EXPECT_EQ(ocean_blocks(16, 16, 4, 4, sea, Distribution::space_filling_curve, 5).ranks(), 5);
  EXPECT_THROW(distribution_named("random"), Error);
}

}  // namespace
}  // namespace halocline::layout
