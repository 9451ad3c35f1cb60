#include "halocline/base/pattern.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace halocline {
namespace {

TEST(PatternTest, finds_the_first_wrong_byte) {
  std::vector<std::byte> payload(1000);
  fill_pattern(payload, 7);
  EXPECT_EQ(first_difference(payload, 7), std::nullopt);
  payload[400] ^= std::byte{1};
  payload[900] ^= std::byte{1};
  EXPECT_EQ(first_difference(payload, 7), 400U);
}

TEST(PatternTest, every_wrong_byte_is_found_in_payloads_of_any_length) {
  for (std::size_t length = 0; length < 20; ++length) {
    std::vector<std::byte> payload(length);
    fill_pattern(payload, 3);
    EXPECT_EQ(first_difference(payload, 3), std::nullopt) << "length " << length;
    for (std::size_t index = 0; index < length; ++index) {
      EXPECT_EQ(payload[index], pattern_byte(3, index));
      payload[index] ^= std::byte{0x80};
      EXPECT_EQ(first_difference(payload, 3), index) << "length " << length;
      payload[index] ^= std::byte{0x80};
    }
  }
}

TEST(PatternTest, varies_along_the_payload) {
  std::set<std::byte> values;
  for (std::size_t index = 0; index < 4096; ++index) {
    values.insert(pattern_byte(1, index));
  }
  EXPECT_EQ(values.size(), 256U);
}

TEST(PatternTest, of_one_seed_does_not_pass_for_that_of_another) {
  std::vector<std::byte> payload(64);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    fill_pattern(payload, seed);
    EXPECT_NE(first_difference(payload, seed + 1), std::nullopt) << "seed " << seed;
  }
}

}  // namespace
}  // namespace halocline
