#include "halocline/base/strided.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "halocline/base/compat/streaming_store.hpp"

namespace halocline {
namespace {

using Counts = std::array<std::int64_t, Strided::max_dimensions>;
using Order = std::array<std::size_t, Strided::max_dimensions>;

/// A box with gaps after each dimension, in the order of dimensions given.
Strided spread(std::byte* base, std::size_t element_bytes, const Counts& counts, const Order& order,
               std::int64_t gap) {
  Strided place{.base = base, .element_bytes = element_bytes, .count = counts, .stride_bytes = {}};
  auto stride = static_cast<std::ptrdiff_t>(element_bytes);
  for (const std::size_t dimension : order) {
    place.stride_bytes[dimension] = stride;
    stride *= counts[dimension] + gap;
  }
  return place;
}

std::byte* element(const Strided& place, const Counts& at) {
  std::byte* address = place.base;
  for (std::size_t dimension = 0; dimension < Strided::max_dimensions; ++dimension) {
    address += at[dimension] * place.stride_bytes[dimension];
  }
  return address;
}

template <class Visit>
void for_each(const Counts& counts, Visit visit) {
  for (std::int64_t l = 0; l < counts[3]; ++l) {
    for (std::int64_t k = 0; k < counts[2]; ++k) {
      for (std::int64_t j = 0; j < counts[1]; ++j) {
        for (std::int64_t i = 0; i < counts[0]; ++i) {
          visit(Counts{i, j, k, l});
        }
      }
    }
  }
}

constexpr std::size_t memory_bytes = 1 << 20U;

class CopyTest : public testing::Test {
 protected:
  CopyTest() : from_(memory_bytes), to_(memory_bytes, std::byte{0xEE}), untouched_(to_) {
    std::mt19937 generator(1);
    std::ranges::generate(from_, [&generator] { return static_cast<std::byte>(generator()); });
  }

  /// Every element arrives, and nothing besides is written.
  void expect_copied(const Strided& to, const Strided& from) {
    std::size_t written = 0;
    for_each(to.count, [&](const Counts& at) {
      EXPECT_EQ(std::memcmp(element(to, at), element(from, at), to.element_bytes), 0);
      std::memset(element(to, at), 0xEE, to.element_bytes);
      written += to.element_bytes;
    });
    EXPECT_EQ(written, to.size_bytes());
    EXPECT_EQ(std::memcmp(to_.data(), untouched_.data(), to_.size()), 0);
  }

  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  const std::vector<std::byte> untouched_;
};

TEST_F(CopyTest, any_memory_to_any_other) {
  std::mt19937 generator(2);
  const auto below = [&generator](std::size_t end) { return generator() % end; };
  for (int round = 0; round < 2000; ++round) {
    Counts counts{};
    for (std::int64_t& count : counts) {
      count = static_cast<std::int64_t>(below(4) == 0 ? 1 : below(9));
    }
    counts[below(4)] *= 6;
    Order to_order{0, 1, 2, 3};
    Order from_order{0, 1, 2, 3};
    std::ranges::shuffle(to_order, generator);
    std::ranges::shuffle(from_order, generator);
    const std::array<std::size_t, 6> sizes{1, 2, 4, 8, 16, 12};
    const std::size_t bytes = sizes[below(sizes.size())];
    const auto stores = below(2) == 0 ? Stores::cached : Stores::streaming;
    const Strided to = spread(to_.data() + below(40), bytes, counts, to_order,
                              static_cast<std::int64_t>(below(3)));
    const Strided from = spread(from_.data() + below(40), bytes, counts, from_order,
                                static_cast<std::int64_t>(below(3)));
    if (below(3) == 0) {
      for (const Copy& part : Copy(to, from).divided(1 + below(4))) {
        part.run(stores);
      }
    } else {
      copy(to, from, stores);
    }
    finish_streaming();
    expect_copied(to, from);
    if (HasFailure()) {
      FAIL() << "round " << round;
    }
  }
}

TEST_F(CopyTest, long_rows_are_streamed_from_any_address_to_any_other) {
  for (std::size_t offset = 0; offset < 20; ++offset) {
    const Strided to = spread(to_.data() + offset, 8, {97, 5, 1, 1}, {0, 1, 2, 3}, 3);
    const Strided from = spread(from_.data() + 2 * offset, 8, {97, 5, 1, 1}, {0, 1, 2, 3}, 1);
    copy(to, from, Stores::streaming);
    finish_streaming();
    expect_copied(to, from);
  }
}

TEST_F(CopyTest, parts_have_all_bytes_together) {
  const Copy whole(spread(to_.data(), 4, {7, 13, 2, 1}, {0, 1, 2, 3}, 0),
                   spread(from_.data(), 4, {7, 13, 2, 1}, {1, 0, 2, 3}, 0));
  std::size_t bytes = 0;
  for (const Copy& part : whole.divided(5)) {
    bytes += part.size_bytes();
  }
  EXPECT_EQ(bytes, whole.size_bytes());
}

TEST_F(CopyTest, a_row_without_gaps_is_divided_too) {
  const Strided to = spread(to_.data(), 8, {1000, 1, 1, 1}, {0, 1, 2, 3}, 0);
  const Strided from = spread(from_.data(), 8, {1000, 1, 1, 1}, {0, 1, 2, 3}, 0);
  const std::vector<Copy> parts = Copy(to, from).divided(3);
  EXPECT_EQ(parts.size(), 3U);
  for (const Copy& part : parts) {
    part.run(Stores::cached);
  }
  expect_copied(to, from);
}

TEST(StridedTest, knows_whether_it_has_gaps) {
  std::byte place{};
  EXPECT_TRUE(spread(&place, 8, {3, 4, 1, 2}, {0, 1, 2, 3}, 0).contiguous());
  EXPECT_FALSE(spread(&place, 8, {3, 4, 1, 2}, {0, 1, 2, 3}, 1).contiguous());
  EXPECT_FALSE(spread(&place, 8, {3, 4, 1, 2}, {1, 0, 2, 3}, 0).contiguous());
  EXPECT_TRUE(spread(&place, 8, {1, 4, 1, 1}, {1, 0, 2, 3}, 0).contiguous());
}

}  // namespace
}  // namespace halocline
