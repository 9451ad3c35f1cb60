#include "halocline/numerics/legendre.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
  for (int pair = 0; pair < pairs; ++pair) {
    const auto index = static_cast<std::size_t>(pair);
    double& value = fourier[(index * 4 + 3) * columns];
    EXPECT_NEAR(value, legendre_functions(41, 42, grid.rows.sine[index])[1], 1e-15);
    value *= 2 * grid.rows.weight[index];
  }
  EXPECT_EQ(fourier[(6 * 4 + 3) * columns], 0);  // less than 1e-18 there
  EXPECT_NE(fourier[(7 * 4 + 3) * columns], 0);
  std::vector<double> packed(sums.packed_length(columns));
  for (const int pairs_in_block : {pairs, pairs / 16}) {
    std::ranges::fill(spectral, -99.0);
    sums.analyse(fourier, spectral, columns, pairs_in_block, packed);
    EXPECT_NEAR(spectral[row * columns], 1, 1e-14);
    EXPECT_EQ(spectral[(row - 1) * columns], 0);  // even about the equator
  }
}

template <class Real>
class LegendreSumsOfTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LegendreSumsOfTest, Reals);

TYPED_TEST(LegendreSumsOfTest, have_the_bits_of_all_latitudes_on_some_of_them) {
  using Real = TypeParam;
  const SpectralGrid grid = SpectralGrid::of(63);
  const SpectralRows rows(63, {0, 1, 20, 62});
  constexpr int columns = 2 * lanes_of<Real>;
  const int pairs = grid.latitude_pairs;
  const auto line = static_cast<std::size_t>(4 * 2 * columns);
  std::vector<Real> spectral(static_cast<std::size_t>(rows.count() * columns));
  for (std::size_t index = 0; index < spectral.size(); ++index) {
    spectral[index] = static_cast<Real>(1) / static_cast<Real>(index % 97 + 1);
  }
  LegendreSums<Real> all(grid, rows, 0, pairs, Pages::as_system);
  std::vector<Real> fourier(static_cast<std::size_t>(pairs) * line);
  all.synthesise(spectral, fourier, columns);
  std::vector<Real> packed(all.packed_length(columns));
  std::vector<Real> sums(spectral.size(), Real(-99));
  const int quarter = pairs / 4;  // 12 pairs: the second begins within a panel of all
  all.analyse(fourier, sums, columns, quarter, packed);
  std::vector<std::vector<Real>> parts;
  for (int first = 0; first < pairs; first += quarter) {
    LegendreSums<Real> some(grid, rows, first, quarter, Pages::as_system);
    std::vector<Real> own(static_cast<std::size_t>(quarter) * line);
    some.synthesise(spectral, own, columns);
    EXPECT_TRUE(std::equal(own.begin(), own.end(),
                           fourier.begin() + first * static_cast<std::ptrdiff_t>(line)));
    parts.emplace_back(spectral.size(), Real(-99));
    some.analyse(own, parts.back(), columns, quarter, packed);
  }
  for (std::size_t index = 0; index < sums.size(); ++index) {
    const Real first_half = parts[0][index] + parts[1][index];
    ASSERT_EQ(first_half + (parts[2][index] + parts[3][index]), sums[index]) << index;
  }
  EXPECT_THROW(all.analyse(fourier, sums, columns, pairs / 3, packed), Error);
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
