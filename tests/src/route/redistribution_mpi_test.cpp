// Routes over the ranks of a communicator: the same on all of them, or an error on all.

#include <gtest/gtest.h>

#include <string>

#include "halocline/base/error.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Box;
using layout::Cuts;
using layout::Index;

Blocks columns(Index extent, int parts) {
  return Blocks({Cuts::even({.lower = 0, .upper = extent}, parts)});
}

class RedistributionOverRanksTest : public testing::Test {
 protected:
  std::string problem(const auto& make) const {
    std::string words;
    try {
      make();
    } catch (const Error& error) {
      words = error.what();
    }
    EXPECT_EQ(words, world_.broadcast(words)) << "not the words of rank 0";
    return words;
  }
  bool last() const { return world_.rank() == world_.size() - 1; }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(RedistributionOverRanksTest, each_rank_gets_its_own_part) {
  const Blocks source = columns(12, world_.size());
  const Blocks destination({Cuts::cyclic({.lower = 0, .upper = 12}, 1, world_.size())});
  EXPECT_EQ(redistribution(source, destination, world_),
            redistribution(source, destination, world_.rank()));
  const Region region{.source = Box{}.with(0, 2, 7), .destination = Box{}.with(0, 4, 9)};
  EXPECT_EQ(redistribution(source, destination, world_, region),
            redistribution(source, destination, world_.rank(), region));
}

TEST_F(RedistributionOverRanksTest, a_rank_that_is_not_there_is_reported_to_all) {
  const std::string there = std::to_string(world_.size());
  const std::string allowed = "; allowed: 0 to " + std::to_string(world_.size() - 1) +
                              ", the ranks of the communicator; cut it into fewer blocks or name "
                              "other owners";
  EXPECT_EQ(
      problem([&] { redistribution(columns(12, world_.size() + 1), columns(12, 1), world_); }),
      "rank 0: the source's layout names rank " + there + allowed);
  EXPECT_EQ(
      problem([&] { redistribution(columns(12, 1), columns(12, world_.size() + 1), world_); }),
      "rank 0: the destination's layout names rank " + there + allowed);
}

TEST_F(RedistributionOverRanksTest, grids_that_differ_are_reported_to_all) {
  EXPECT_NE(problem([&] {
              redistribution(columns(12, 1), columns(13, 1), world_);
            }).find("both must have the same indices"),
            std::string::npos);
}

TEST_F(RedistributionOverRanksTest, ranks_that_bring_different_layouts_are_reported) {
  if (world_.size() == 1) {
    return;
  }
  const std::string expected = "rank " + std::to_string(world_.size() - 1) +
                               " and rank 0 pass different layouts; all ranks must pass the same; "
                               "compare the arguments of both";
  const Index own_extent = last() ? 13 : 12;
  EXPECT_EQ(
      problem([&] { redistribution(columns(own_extent, 1), columns(own_extent, 1), world_); }),
      expected);
  const Region region{.source = Box::line(own_extent - 5),
                      .destination = Box::line(own_extent - 5)};
  EXPECT_EQ(problem([&] { redistribution(columns(12, 1), columns(12, 1), world_, region); }),
            expected);
}

}  // namespace
}  // namespace halocline::route
