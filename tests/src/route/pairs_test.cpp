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

}  // namespace
}  // namespace halocline::route
