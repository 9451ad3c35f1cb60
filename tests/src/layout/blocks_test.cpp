#include "halocline/layout/blocks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/layout_pairs.hpp"
#include "support/problem.hpp"

namespace halocline::layout {
namespace {

using test::problem;

constexpr Interval eight{.lower = 0, .upper = 8};
constexpr Interval six{.lower = 0, .upper = 6};

Box rectangle(Interval x, Interval y) {
  return Box{}.with(0, x.lower, x.upper).with(1, y.lower, y.upper);
}

TEST(BlocksTest, places_are_counted_along_the_first_dimension_first) {
  const Blocks blocks({Cuts::even(eight, 2), Cuts::even(six, 3)});
  EXPECT_EQ(blocks.places(), 6);
  EXPECT_EQ(blocks.ranks(), 6);
  EXPECT_EQ(blocks.global(), rectangle(eight, six));
  EXPECT_EQ(blocks.local(3), rectangle({4, 8}, {2, 4}));
  EXPECT_EQ(blocks.owner(3), 3);
  EXPECT_EQ(blocks.places_of(3), std::vector{3});
  EXPECT_TRUE(blocks.owned(6).empty());
  EXPECT_TRUE(blocks.owned(-1).empty());
}

TEST(BlocksTest, ranks_below_the_first_own_nothing) {
  const Blocks blocks({Cuts::even(eight, 2)}, 3);
  EXPECT_EQ(blocks.ranks(), 5);
  EXPECT_TRUE(blocks.places_of(2).empty());
  EXPECT_EQ(blocks.places_of(4), std::vector{1});
}

TEST(BlocksTest, a_rank_may_own_several_blocks_or_none) {
  const Blocks blocks({Cuts::even(eight, 4)}, std::vector{2, 0, 2, 2});
  EXPECT_EQ(blocks.ranks(), 3);
  EXPECT_EQ(blocks.places_of(2), (std::vector{0, 2, 3}));
  EXPECT_EQ(blocks.places_of(0), std::vector{1});
  EXPECT_TRUE(blocks.places_of(1).empty());
  ASSERT_EQ(blocks.owned(2).size(), 3U);
  EXPECT_EQ(blocks.owned(2)[1].place, 2);
  EXPECT_EQ(blocks.owned(2)[1].local, Box{}.with(0, 4, 6));
}

TEST(BlocksTest, dimensions_in_another_order_keep_their_owners) {
  const Blocks blocks({Cuts::even(eight, 2), Cuts::cyclic(six, 1, 3)},
                      std::vector{5, 4, 3, 2, 1, 0});
  const Blocks turned = blocks.permuted({1, 0, 2, 3});
  EXPECT_EQ(turned.global(), rectangle(six, eight));
  for (int x = 0; x < 2; ++x) {
    for (int y = 0; y < 3; ++y) {
      EXPECT_EQ(turned.owner(y + 3 * x), blocks.owner(x + 2 * y));
    }
  }
  EXPECT_EQ(turned.permuted({1, 0, 2, 3}), blocks);
}

TEST(BlocksTest, the_identity_tells_layouts_apart) {
  const Blocks blocks({Cuts::even(eight, 2), Cuts::even(six, 3)});
  EXPECT_EQ(blocks.identity(), Blocks({Cuts::even(eight, 2), Cuts::even(six, 3)}).identity());
  EXPECT_NE(blocks.identity(), Blocks({Cuts::even(eight, 3), Cuts::even(six, 2)}).identity());
  EXPECT_NE(blocks.identity(), Blocks({Cuts::even(eight, 2), Cuts::even(six, 3)}, 1).identity());
  EXPECT_NE(blocks.identity(), blocks.owned_by({0, 1, 2, 3, 5, 4}).identity());
}

TEST(BlocksTest, every_index_of_any_layout_has_one_owner_and_one_home_there) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const test::LayoutPair pair = test::random_pair(seed, 16);
    const Blocks blocks = pair.source_layout();
    std::map<int, Index> owned;
    for (int rank = 0; rank < blocks.ranks(); ++rank) {
      for (const Part& part : blocks.owned(rank)) {
        EXPECT_EQ(blocks.owner(part.place), rank);
        EXPECT_TRUE(owned.emplace(part.place, part.local.volume()).second) << pair.text();
      }
    }
    ASSERT_EQ(owned.size(), static_cast<std::size_t>(blocks.places())) << pair.text();
    Index total = 0;
    for (const auto& [place, volume] : owned) {
      total += volume;
    }
    EXPECT_EQ(total, blocks.global().volume()) << pair.text();
  }
}

TEST(BlocksTest, what_is_no_layout_is_reported) {
  const Cuts halves = Cuts::even(eight, 2);
  EXPECT_EQ(problem([] { Blocks(std::vector<Cuts>{}); }),
            "a layout of 0 dimensions; allowed: 1 to 4; join dimensions that are not cut");
  EXPECT_EQ(problem([&] { Blocks(std::vector<Cuts>(5, halves)); }),
            "a layout of 5 dimensions; allowed: 1 to 4; join dimensions that are not cut");
  EXPECT_EQ(problem([&] { Blocks({halves}, -1); }),
            "a layout whose first rank is -1; allowed: 0 or more; name a rank of the communicator");
  EXPECT_EQ(problem([&] { Blocks({halves}, std::vector{0, 1, 2}); }),
            "a layout of 2 blocks with 3 owners; give the rank of each block");
  EXPECT_EQ(problem([&] { Blocks({halves}, std::vector{0, -7}); }),
            "block 2 belongs to rank -7; allowed: 0 to 2147483646, or -1 for a block without "
            "owner; name a rank of the communicator");
  EXPECT_EQ(problem([&] { Blocks({halves}, std::vector{nobody, nobody}); }),
            "a layout whose blocks all have no owner; give at least one to a rank");
  EXPECT_NE(problem([&] { Blocks({halves}, std::vector{0, INT32_MAX}); }), "");
  EXPECT_EQ(problem([&] { Blocks({halves}).permuted({0, 0, 2, 3}); }),
            "an order of dimensions that does not name each of the 4 once; give one that does");
  const Cuts many = Cuts::even(eight, 1 << 20);
  EXPECT_EQ(problem([&] { Blocks({many, many}); }),
            "a layout of more than 2147483647 blocks; cut it into fewer parts");
  EXPECT_EQ(
      problem([&] { Blocks({halves}, INT32_MAX - 1); }),
      "a layout of 2 blocks whose first rank is 2147483646; allowed: up to 2147483645; name a "
      "rank of the communicator");
}

}  // namespace
}  // namespace halocline::layout
