#include "halocline/measure/stopping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace halocline::measure {
namespace {

TEST(StoppingTest, few_values_tell_nothing) {
  EXPECT_TRUE(std::isinf(half_width_relative(std::vector<double>{1, 1, 1, 1, 1})));
}

TEST(StoppingTest, equal_values_are_known_exactly) {
  EXPECT_EQ(half_width_relative(std::vector<double>(20, 1.5)), 0.0);
}

TEST(StoppingTest, uses_the_order_statistics_of_the_binomial) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 1.0);  // 1 … 100
  // 50 ± 9.8: the sorted values at 40 and 60 (from 0) are 41 and 61, the median is 51.
  EXPECT_DOUBLE_EQ(half_width_relative(values), (61.0 - 41.0) / 2 / 51.0);
}

TEST(StoppingTest, the_interval_covers_the_median_at_the_level_it_claims) {
  std::mt19937 generator(1);
  std::lognormal_distribution<double> time(0.0, 0.1);
  int covered = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(41);
    std::ranges::generate(values, [&] { return time(generator); });
    std::ranges::sort(values);
    // The same ranks as in the rule, for 41 values: 20.5 ± 6.3.
    covered += values[14] <= 1.0 && 1.0 <= values[27] ? 1 : 0;
    EXPECT_DOUBLE_EQ(half_width_relative(values), (values[27] - values[14]) / 2 / values[20]);
  }
  EXPECT_GT(covered, trials * 94 / 100);
}

}  // namespace
}  // namespace halocline::measure
