#include "halocline/numerics/legendre.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {
namespace {

TEST(LegendreFunctionsTest, low_degrees_are_those_of_the_tables) {
  constexpr double sine = 0.3;
  const double cosine = std::sqrt(1 - sine * sine);
  EXPECT_NEAR(legendre_functions(0, 2, sine)[2], std::sqrt(2.5) * (3 * sine * sine - 1) / 2, 1e-15);
  EXPECT_NEAR(legendre_functions(1, 2, sine)[1], std::sqrt(15.0) / 2 * sine * cosine, 1e-15);
  EXPECT_NEAR(legendre_functions(2, 2, sine)[0], std::sqrt(15.0) / 4 * cosine * cosine, 1e-15);
}

TEST(LegendreFunctionsTest, are_orthonormal_up_to_the_largest_truncation) {
  const SpectralGrid grid = SpectralGrid::of(340);
  for (const int order : {0, 1, 170, 339, 340}) {
    for (const auto& [first, second] : {std::pair{0, 0}, std::pair{0, 1}}) {
      const int degree = order + first;
      const int other = std::max(order, 340 - second);
      double sum = 0;
      for (std::size_t pair = 0; pair < grid.rows.sine.size(); ++pair) {
        const auto functions = legendre_functions(order, 340, grid.rows.sine[pair]);
        const double product = functions[static_cast<std::size_t>(degree - order)] *
                               functions[static_cast<std::size_t>(other - order)];
        sum += (degree + other) % 2 == 0 ? 2 * grid.rows.weight[pair] * product : 0.0;
      }
      EXPECT_NEAR(sum, degree == other ? 1 : 0, 1e-12) << order << ", " << degree << ", " << other;
    }
  }
}

TEST(LegendreSumsTest, leave_out_what_does_not_count_towards_the_poles) {
  const SpectralGrid grid = SpectralGrid::of(42);
  const SpectralRows rows(42, {0, 41});
  constexpr int columns = 2 * lanes_of<double>;
  const int pairs = grid.latitude_pairs;
  LegendreSums<double> sums(grid, rows, 0, pairs, Pages::as_system);
  std::vector<double> spectral(static_cast<std::size_t>(rows.count() * columns));
  const auto row = static_cast<std::size_t>(rows.first(1) + 1);  // degree 42 of order 41
  std::fill_n(spectral.begin() + static_cast<std::ptrdiff_t>(row * columns), columns, 1.0);
  std::vector<double> fourier(static_cast<std::size_t>(pairs * 2 * 2 * columns));
  sums.synthesise(spectral, fourier, columns);
  double norm = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto index = static_cast<std::size_t>(pair);
    double& value = fourier[(index * 4 + 3) * columns];
    EXPECT_NEAR(value, legendre_functions(41, 42, grid.rows.sine[index])[1], 1e-15);
    value *= 2 * grid.rows.weight[index];
  }
  EXPECT_EQ(fourier[(6 * 4 + 3) * columns], 0);  // less than 1e-18 there
  EXPECT_NE(fourier[(7 * 4 + 3) * columns], 0);
  std::vector<double> packed(sums.packed_length(columns));
  for (const auto& [begin, count] : {std::pair{0, 5}, std::pair{5, 6}, std::pair{11, pairs - 11}}) {
    sums.analyse(fourier, spectral, columns, begin, count, packed);
    norm += spectral[row * columns];
  }
  EXPECT_NEAR(norm, 1, 1e-14);
}

TEST(SpectralGridTest, has_no_aliasing_of_products_and_refuses_what_has_no_grid) {
  for (const int truncation : {5, 10, 21, 42, 63, 85, 106, 170, 340}) {
    const SpectralGrid grid = SpectralGrid::of(truncation);
    EXPECT_GE(grid.longitudes, 3 * truncation + 1);
    EXPECT_GE(4 * grid.latitude_pairs, 3 * truncation + 1);
  }
  EXPECT_THROW(SpectralGrid::of(43), UsageError);
}

}  // namespace
}  // namespace halocline::numerics
