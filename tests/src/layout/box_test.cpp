#include "halocline/layout/box.hpp"

#include <gtest/gtest.h>

namespace halocline::layout {
namespace {

constexpr Box rectangle(Index x0, Index x1, Index y0, Index y1) {
  return {.lower = {x0, y0, 0, 0}, .upper = {x1, y1, 1, 1}};
}

TEST(BoxTest, volume_is_the_product_of_extents) {
  EXPECT_EQ(rectangle(2, 5, 1, 3).volume(), 6);
  EXPECT_EQ(Box::line(0).volume(), 0);
  EXPECT_EQ(Box{}.volume(), 1);
}

TEST(BoxTest, intersection_is_common_and_symmetric) {
  const Box one = rectangle(0, 4, 0, 4);
  const Box other = rectangle(2, 6, 3, 9);
  EXPECT_EQ(one.intersection(other), rectangle(2, 4, 3, 4));
  EXPECT_EQ(one.intersection(other), other.intersection(one));
}

TEST(BoxTest, boxes_that_do_not_meet_have_an_empty_intersection) {
  EXPECT_TRUE(rectangle(0, 2, 0, 2).intersection(rectangle(3, 5, 0, 2)).empty());
}

TEST(BoxTest, contains_its_parts_and_anything_empty) {
  const Box whole = rectangle(0, 4, 0, 4);
  EXPECT_TRUE(whole.contains(rectangle(1, 4, 0, 2)));
  EXPECT_FALSE(whole.contains(rectangle(1, 5, 0, 2)));
  EXPECT_TRUE(whole.contains(rectangle(9, 9, 0, 2)));
}

}  // namespace
}  // namespace halocline::layout
