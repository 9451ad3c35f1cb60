#include "halocline/workload/proxy/ocean_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "halocline/layout/ocean_blocks.hpp"

namespace halocline::workload {
namespace {

using layout::Index;

measure::PictureOwners owners(Index side, int ranks) {
  const auto grid = numerics::DisplacedPoleGrid::named("x1");
  const auto mask = numerics::OceanMask::of_earth("x1");
  return owners_of(layout::ocean_blocks(
                       grid.columns(), grid.rows(), side, side,
                       [&mask](const layout::Box& box) { return mask.count(box); },
                       layout::Distribution::space_filling_curve, ranks),
                   mask);
}

TEST(OceanPictureTest, blocks_cover_the_grid_and_those_of_nobody_are_land) {
  const measure::PictureOwners found = owners(16, 5);
  const auto mask = numerics::OceanMask::of_earth("x1");
  std::vector<std::int64_t> work(5);
  Index cells = 0;
  for (const measure::PictureBlock& block : found.blocks) {
    layout::Box box;
    box.lower = {block.west, block.south, 0, 0};
    box.upper = {block.east, block.north, 1, 1};
    cells += box.volume();
    EXPECT_EQ(block.owner == layout::nobody, mask.count(box) == 0);
    if (block.owner != layout::nobody) {
      work[static_cast<std::size_t>(block.owner)] += mask.count(box);
    }
  }
  EXPECT_EQ(cells, 320 * 384);
  EXPECT_EQ(found.work, work);
  EXPECT_EQ(found.omitted, "");
}

TEST(OceanPictureTest, land_is_coarse_and_about_as_much_as_there_is) {
  const measure::PictureOwners found = owners(32, 2);
  EXPECT_EQ(found.land_side, 3);
  EXPECT_EQ(found.land.size(), 128);
  Index wet = 0;
  for (const std::string& row : found.land) {
    EXPECT_EQ(row.size(), 107);
    wet += std::ranges::count(row, '.');
  }
  const auto ocean = std::accumulate(found.work.begin(), found.work.end(), std::int64_t{0});
  EXPECT_NEAR(static_cast<double>(9 * wet) / static_cast<double>(ocean), 1, 0.02);
}

TEST(OceanPictureTest, too_many_blocks_are_left_out_with_a_reason) {
  const measure::PictureOwners found = owners(4, 2);
  EXPECT_TRUE(found.blocks.empty());
  EXPECT_EQ(found.omitted, "its 7680 blocks are more than the 4096 that a picture shows");
  EXPECT_EQ(found.work.size(), 2);
}

}  // namespace
}  // namespace halocline::workload
