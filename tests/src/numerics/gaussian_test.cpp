#include "halocline/numerics/gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace halocline::numerics {
namespace {

TEST(GaussianRowsTest, integrate_every_polynomial_that_they_can) {
  constexpr int rows = 8;
  const GaussianRows northern = gaussian_rows(rows);
  ASSERT_EQ(northern.sine.size(), rows / 2U);
  for (int power = 0; power < 2 * rows; power += 2) {  // odd ones vanish by symmetry
    double sum = 0;
    for (std::size_t row = 0; row < northern.sine.size(); ++row) {
      sum += 2 * northern.weight[row] * std::pow(northern.sine[row], power);
    }
    EXPECT_NEAR(sum, 2.0 / (power + 1), 1e-15) << power;
  }
  double beyond = 0;
  for (std::size_t row = 0; row < northern.sine.size(); ++row) {
    beyond += 2 * northern.weight[row] * std::pow(northern.sine[row], 2 * rows);
  }
  EXPECT_GT(std::abs(beyond - 2.0 / (2 * rows + 1)), 1e-9);
}

}  // namespace
}  // namespace halocline::numerics
