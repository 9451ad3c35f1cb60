#include "halocline/numerics/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace halocline::numerics {
namespace {

/// In pieces of this many numbers, each with bins of its own that are added bin by bin.
double sum_in_pieces(std::vector<double> numbers, std::size_t piece) {
  ExactSum::Bins all{};
  for (std::size_t at = 0; at < numbers.size(); at += piece) {
    ExactSum::Bins bins{};
    ExactSum::add(std::span(numbers).subspan(at, std::min(piece, numbers.size() - at)), bins);
    for (std::size_t bin = 0; bin < all.size(); ++bin) {
      all[bin] += bins[bin];
    }
  }
  return ExactSum::value(all);
}

TEST(ExactSumTest, has_the_same_bits_in_any_order_and_any_pieces) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-100, 100);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> numbers(500);
    for (double& number : numbers) {
      number = std::ldexp(mantissa(generator), exponent(generator));
    }
    const double expected = sum_in_pieces(numbers, numbers.size());
    for (const std::size_t piece : {1U, 2U, 7U, 64U}) {
      std::ranges::shuffle(numbers, generator);
      EXPECT_EQ(sum_in_pieces(numbers, piece), expected) << piece;
    }
  }
}

TEST(ExactSumTest, loses_nothing_where_plain_addition_does) {
  EXPECT_EQ(sum_in_pieces({1e30, 1, -1e30}, 1), 1);
  EXPECT_EQ(sum_in_pieces({1e30, 1e-30, -1e30, 1, -1}, 3), 1e-30);
  EXPECT_EQ(sum_in_pieces({0, 0}, 1), 0);
  EXPECT_EQ(sum_in_pieces(std::vector<double>(1000, 0.1), 9), 1000 * 0.1L);
}

TEST(ExactSumTest, is_not_a_number_where_one_is_not_or_is_too_large) {
  EXPECT_TRUE(std::isnan(sum_in_pieces({1, std::numeric_limits<double>::quiet_NaN(), 2}, 3)));
  EXPECT_TRUE(std::isnan(sum_in_pieces({std::numeric_limits<double>::infinity()}, 1)));
  EXPECT_TRUE(std::isnan(sum_in_pieces({1e80, 1}, 1)));
}

}  // namespace
}  // namespace halocline::numerics
