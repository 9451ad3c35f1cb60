#include "halocline/route/description.hpp"

#include <gtest/gtest.h>

#include "halocline/route/redistribution.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Box;
using layout::Cuts;

TEST(DescriptionTest, a_transpose_is_reported_to_the_byte) {
  const auto world = mpi::Communicator::world();
  const int ranks = world.size();
  const Cuts whole = Cuts::even({.lower = 0, .upper = 8}, 1);
  const Cuts cut = Cuts::even({.lower = 0, .upper = 8}, ranks);
  const Description description =
      describe(redistribution(Blocks({whole, cut}), Blocks({cut, whole}), world), world);
  EXPECT_EQ(description.ranks, ranks);
  EXPECT_EQ(description.peers_maximum, ranks - 1);
  EXPECT_EQ(description.messages, ranks * (ranks - 1));
  EXPECT_EQ(description.boxes, ranks * ranks);
  EXPECT_EQ(description.indices, 64);

  if (8 % ranks == 0) {
    EXPECT_EQ(description.indices_moved, 64 - 64 / ranks);
    EXPECT_DOUBLE_EQ(description.imbalance(), 1.0);
  }
  if (ranks == 2) {
    EXPECT_EQ(description.text(8),
              "2 ranks, each with up to 1 peers\n2 messages, 4 boxes\n256 of 512 bytes change "
              "rank\nimbalance 1.00 (the busiest rank over the mean)\n");
  }
}

TEST(DescriptionTest, one_rank_that_receives_all_is_an_imbalance) {
  const auto world = mpi::Communicator::world();
  const int ranks = world.size();
  const Blocks spread({Cuts::even({.lower = 0, .upper = 12}, ranks)});
  const Blocks gathered({Cuts::even({.lower = 0, .upper = 12}, 1)});
  const Description description = describe(redistribution(spread, gathered, world), world);
  EXPECT_EQ(description.messages, ranks - 1);
  EXPECT_EQ(description.peers_maximum, ranks - 1);
  // The others send as much in all as rank 0 receives.
  EXPECT_DOUBLE_EQ(description.imbalance(), ranks == 1 ? 1.0 : ranks / 2.0);
}

TEST(DescriptionTest, several_boxes_to_a_peer_are_one_message) {
  const auto world = mpi::Communicator::world();
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  const Description description =
      describe({.sends = {{.peer = next, .box = Box::line(2)}, {.peer = next, .box = Box::line(3)}},
                .receives = {{.peer = previous, .box = Box::line(2)},
                             {.peer = previous, .box = Box::line(3)}}},
               world);
  const bool others = world.size() > 1;
  EXPECT_EQ(description.messages, others ? world.size() : 0);
  EXPECT_EQ(description.boxes, 2 * world.size());
  EXPECT_EQ(description.indices_moved, others ? 5 * world.size() : 0);
  EXPECT_EQ(description.peers_maximum, world.size() == 1 ? 0 : world.size() == 2 ? 1 : 2);
}

}  // namespace
}  // namespace halocline::route
