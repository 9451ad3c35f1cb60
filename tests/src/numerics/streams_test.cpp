#include "halocline/numerics/streams.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

struct alignas(streaming_bytes) Numbers {
  std::array<double, 6> values;
};

constexpr Numbers b{{1, 2, 3, 4, 5, 6}};
constexpr Numbers c{{10, 20, 30, 40, 50, 60}};
constexpr std::array<double, 6> b_and_3_c{31, 62, 93, 124, 155, 186};

TEST(StreamsTest, a_triad_is_b_and_a_multiple_of_c) {
  Numbers a{};
  triad(a.values, b.values, c.values, 3);
  EXPECT_EQ(a.values, b_and_3_c);
}

TEST(StreamsTest, a_copy_is_the_same_bytes) {
  Numbers a{};
  copy(std::as_writable_bytes(std::span(a.values)), std::as_bytes(std::span(b.values)));
  EXPECT_EQ(a.values, b.values);
}

TEST(StreamsTest, stores_past_the_caches_store_the_same_or_are_refused) {
  Numbers a{};
  if (!has_streaming_stores()) {
    EXPECT_THROW(triad_streaming(a.values, b.values, c.values, 3), Error);
    return;
  }
  triad_streaming(a.values, b.values, c.values, 3);
  EXPECT_EQ(a.values, b_and_3_c);
  copy_streaming(std::as_writable_bytes(std::span(a.values)), std::as_bytes(std::span(c.values)));
  EXPECT_EQ(a.values, c.values);
}

}  // namespace
}  // namespace halocline::numerics
