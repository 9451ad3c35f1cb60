#include "halocline/bundle/side.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "halocline/bundle/field.hpp"

namespace halocline::bundle {
namespace {

using layout::Box;
using layout::Index;
using protocol::Form;
using protocol::Outgoing;

constexpr Wanted in_window{.form = Form::packed, .in_window = true};

Box columns(Index lower, Index upper) {
  return {.lower = {lower, 0, 0, 0}, .upper = {upper, 4, 1, 1}};
}
Box rows(Index lower, Index upper) {
  return {.lower = {0, lower, 0, 0}, .upper = {5, upper, 1, 1}};
}

class SideTest : public testing::Test {
 protected:
  SideTest() : values_(5 * 4), window_(10 * 5 * 4) { std::iota(values_.begin(), values_.end(), 0); }

  Field field() {
    return {.data = reinterpret_cast<std::byte*>(values_.data()),
            .element_bytes = sizeof(int),
            .extent = rows(0, 4)};
  }
  Parcel parcel(int peer, const Box& box) {
    return {.peer = peer, .boxes = {strided(field(), box)}};
  }
  std::span<std::byte> memory() { return std::as_writable_bytes(std::span(values_)); }
  std::byte* window() { return reinterpret_cast<std::byte*>(window_.data()); }

  std::vector<int> values_;  // value = x + 5·y
  std::vector<int> window_;
};

TEST_F(SideTest, messages_of_memory_that_moves_are_pieces_of_it) {
  Side side({parcel(1, rows(2, 4)), parcel(2, rows(0, 1))}, in_window, memory());
  const auto messages = side.messages<Outgoing>();
  EXPECT_EQ(messages[0].offset_bytes, 10 * sizeof(int));
  EXPECT_EQ(messages[0].size_bytes, 10 * sizeof(int));
  EXPECT_EQ(messages[1].offset_bytes, 0U);
  EXPECT_EQ(side.window_bytes(), 20 * sizeof(int));
  side.use_window(window());
  EXPECT_EQ(side.moved_to(), window());
  EXPECT_TRUE(std::equal(values_.begin(), values_.end(), window_.begin()));
  EXPECT_TRUE(side.in_place());
}

TEST_F(SideTest, messages_in_many_pieces_are_packed_into_the_window_one_after_the_other) {
  Side side({parcel(1, columns(0, 2)), parcel(2, columns(4, 5))}, in_window, memory());
  const auto messages = side.messages<Outgoing>();
  EXPECT_EQ(messages[0].offset_bytes, 0U);
  EXPECT_EQ(messages[1].offset_bytes, 64U);  // on a line of its own
  EXPECT_EQ(side.window_bytes(), 128U);
  side.use_window(window());
  side.pack();
  EXPECT_TRUE(
      std::ranges::equal(std::span(window_).first(8), std::vector{0, 1, 5, 6, 10, 11, 15, 16}));
  EXPECT_TRUE(std::ranges::equal(std::span(window_).subspan(16, 4), std::vector{4, 9, 14, 19}));
  EXPECT_FALSE(side.in_place());
  EXPECT_EQ(side.moved_to(), nullptr);
}

TEST_F(SideTest, memory_stays_unless_it_may_move) {
  Side side({parcel(1, rows(0, 4))}, in_window);
  side.messages<Outgoing>();
  side.use_window(window());
  EXPECT_EQ(side.moved_to(), nullptr);
  EXPECT_FALSE(side.in_place());
}

TEST_F(SideTest, a_side_without_messages_needs_no_window) {
  Side side({}, in_window, memory());
  EXPECT_TRUE(side.messages<Outgoing>().empty());
  EXPECT_EQ(side.window_bytes(), 0U);
  side.use_window(window());
  EXPECT_EQ(side.moved_to(), nullptr);
}

TEST_F(SideTest, a_parcel_of_several_boxes_is_packed_one_box_after_the_other) {
  Side side({{.peer = 1, .boxes = {strided(field(), columns(1, 2)), strided(field(), rows(3, 4))}}},
            {.form = Form::packed, .in_window = false});
  const auto messages = side.messages<Outgoing>();
  EXPECT_EQ(messages[0].size_bytes, 9 * sizeof(int));
  side.use_window(nullptr);
  side.pack();
  std::vector<int> packed(9);
  std::memcpy(packed.data(), messages[0].payload.data(), messages[0].payload.size());
  EXPECT_EQ(packed, (std::vector{1, 6, 11, 16, 15, 16, 17, 18, 19}));
}

TEST_F(SideTest, boxes_are_reported_as_they_lie) {
  Field shifted = field();
  shifted.extent = {.lower = {10, 0, 0, 0}, .upper = {15, 4, 1, 1}};
  const Box box{.lower = {11, 2, 0, 0}, .upper = {13, 4, 1, 1}};
  Side side({{.peer = 1, .boxes = {strided(shifted, box)}}},
            {.form = Form::boxes, .in_window = false});
  const auto messages = side.messages<Outgoing>();
  const Strided expected{.base = field().data + 11 * sizeof(int),
                         .element_bytes = sizeof(int),
                         .count = {2, 2, 1, 1},
                         .stride_bytes = {4, 20, 80, 80}};
  EXPECT_EQ(messages[0].boxes, std::vector{expected});
  EXPECT_EQ(messages[0].size_bytes, 4 * sizeof(int));
  EXPECT_TRUE(side.in_place());
}

}  // namespace
}  // namespace halocline::bundle
