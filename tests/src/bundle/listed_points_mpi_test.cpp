// Fields on lists of points: an ocean without its land, and the blocks of an atmosphere.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "halocline/bundle/redistribution.hpp"
#include "halocline/route/lists.hpp"
#include "support/field_over.hpp"

namespace halocline::bundle {
namespace {

using layout::Box;
using layout::Cuts;
using layout::Index;
using layout::Points;
using test::field_over;

constexpr Index width = 40;
constexpr Index height = 30;
constexpr Index levels = 3;

/// Ocean points dealt at random, no two side by side on one rank but by chance.
std::vector<Index> ocean_of(int rank, int ranks) {
  std::mt19937_64 random(7);
  std::vector<Index> own;
  for (Index number = 0; number < width * height; ++number) {
    const bool is_ocean = random() % 3 != 0;
    const auto owner = static_cast<int>(random() % static_cast<std::uint64_t>(ranks));
    if (is_ocean && owner == rank) {
      own.push_back(number);
    }
  }
  std::ranges::shuffle(own, random);
  return own;
}

class ListedPointsTest : public testing::TestWithParam<Near> {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(ListedPointsTest, go_to_blocks_and_back) {
  const int rank = world_.rank();
  const layout::Blocks blocks({Cuts::even({.lower = 0, .upper = width}, world_.size()),
                               Cuts::even({.lower = 0, .upper = height}, 1),
                               Cuts::even({.lower = 0, .upper = levels}, 1)});
  const std::vector<Index> own = ocean_of(rank, world_.size());
  const auto points = static_cast<Index>(own.size());
  const Points block = Points::of(blocks, rank, 2);
  const auto route = route::redistribution(block, Points(own, Box{}.with(2, 0, levels)), world_,
                                           route::Unwanted::allowed);
  const Box on_block = blocks.owned(rank).front().local;
  const Box on_list = Box::line(points).with(2, 0, levels);
  std::vector<double> atmosphere(static_cast<std::size_t>(on_block.volume()));
  std::vector<double> ocean(static_cast<std::size_t>(on_list.volume()), -1.0);
  const auto value = [](Index number, Index level) {
    return static_cast<double>(number) + 0.25 * static_cast<double>(level);
  };
  std::size_t next = 0;
  for (Index level = 0; level < levels; ++level) {
    for (Index j = 0; j < height; ++j) {
      for (Index i = on_block.lower[0]; i < on_block.upper[0]; ++i) {
        atmosphere[next++] = value(i + width * j, level);
      }
    }
  }
  const std::vector<double> original = atmosphere;
  const Blocks source{{field_over(atmosphere, on_block)}};
  const Blocks destination{{field_over(ocean, on_list)}};
  const Way way{.near = GetParam()};
  Redistribution there(route, source, destination, way, world_);
  there.start();
  there.finish();
  next = 0;
  for (Index level = 0; level < levels; ++level) {
    for (const Index number : own) {
      ASSERT_EQ(ocean[next++], value(number, level)) << "point " << number;
    }
  }
  std::ranges::fill(atmosphere, -1.0);
  Redistribution back(route.reversed(), destination, source, way, world_);
  back.start();
  back.finish();
  std::uint64_t arrived = 0;
  for (std::size_t index = 0; index < atmosphere.size(); ++index) {
    const bool is_land = atmosphere[index] == -1.0;
    ASSERT_TRUE(is_land || atmosphere[index] == original[index]);
    arrived += is_land ? 0 : 1;
  }
  EXPECT_EQ(world_.sum(arrived), world_.sum(ocean.size()));
}

INSTANTIATE_TEST_SUITE_P(Ways, ListedPointsTest, testing::Values(Near::shared, Near::messages),
                         [](const auto& instance) {
                           return instance.param == Near::shared ? "shared" : "messages";
                         });

}  // namespace
}  // namespace halocline::bundle
