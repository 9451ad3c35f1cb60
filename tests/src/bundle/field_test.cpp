#include "halocline/bundle/field.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace halocline::bundle {
namespace {

using layout::Box;
using layout::Index;

Box brick(Index x0, Index x1, Index y0, Index y1, Index z0, Index z1) {
  return {.lower = {x0, y0, z0, 0}, .upper = {x1, y1, z1, 1}};
}

class FieldTest : public testing::Test {
 protected:
  FieldTest() : values_(5 * 4 * 3) { std::iota(values_.begin(), values_.end(), 0); }

  Field field() {
    return {.data = reinterpret_cast<std::byte*>(values_.data()),
            .element_bytes = sizeof(int),
            .extent = brick(10, 15, 0, 4, 0, 3)};
  }

  std::vector<int> values_;  // value = x + 5·(y + 4·z), x counted from 10
};

TEST_F(FieldTest, packs_the_box_in_memory_order) {
  std::vector<int> packed(4);
  pack({field()}, brick(11, 13, 2, 3, 1, 3), std::as_writable_bytes(std::span(packed)));
  EXPECT_EQ(packed, (std::vector<int>{31, 32, 51, 52}));
}

TEST_F(FieldTest, packs_one_field_after_another) {
  std::vector<int> packed(2);
  const Bundle bundle{field(), field()};
  pack(bundle, brick(12, 13, 0, 1, 0, 1), std::as_writable_bytes(std::span(packed)));
  EXPECT_EQ(packed, (std::vector<int>{2, 2}));
  EXPECT_EQ(packed_bytes(bundle, brick(12, 13, 0, 1, 0, 1)), 2 * sizeof(int));
}

TEST_F(FieldTest, unpack_undoes_pack) {
  const Box box = brick(11, 14, 1, 3, 0, 2);
  const std::vector<int> before = values_;
  std::vector<std::byte> packed(packed_bytes({field()}, box));
  pack({field()}, box, packed);
  std::fill(values_.begin(), values_.end(), -1);
  unpack(packed, {field()}, box);
  for (std::size_t index = 0; index < values_.size(); ++index) {
    EXPECT_TRUE(values_[index] == -1 || values_[index] == before[index]) << "index " << index;
  }
  EXPECT_EQ(std::count(values_.begin(), values_.end(), -1), 60 - box.volume());
}

TEST_F(FieldTest, knows_which_boxes_lie_in_one_piece) {
  const auto bytes_in_one_piece = [this](const Box& box) {
    return contiguous({field()}, box).size();
  };
  EXPECT_EQ(bytes_in_one_piece(brick(10, 15, 0, 4, 0, 3)), 60 * sizeof(int));
  EXPECT_EQ(bytes_in_one_piece(brick(10, 15, 1, 3, 2, 3)), 10 * sizeof(int));
  EXPECT_EQ(bytes_in_one_piece(brick(11, 13, 1, 2, 1, 2)), 2 * sizeof(int));
  EXPECT_EQ(bytes_in_one_piece(brick(10, 15, 1, 3, 0, 2)), 0U);
  EXPECT_EQ(bytes_in_one_piece(brick(11, 13, 1, 3, 0, 1)), 0U);
  EXPECT_TRUE(contiguous({field(), field()}, brick(10, 15, 0, 4, 0, 3)).empty());
}

}  // namespace
}  // namespace halocline::bundle
