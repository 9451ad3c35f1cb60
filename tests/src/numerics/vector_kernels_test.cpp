#include "halocline/numerics/vector_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/base/pattern.hpp"

namespace halocline::numerics {

extern const VectorKernels<float> portable_kernels_float;
extern const VectorKernels<double> portable_kernels_double;

namespace {

template <class Real>
std::vector<Real> random_numbers(std::size_t count) {
  std::vector<Real> numbers;
  for (std::size_t index = 0; index < count; ++index) {
    numbers.push_back(
        static_cast<Real>(static_cast<double>(pattern_word(1, index) >> 11U) * 0x1.0p-52 - 1));
  }
  return numbers;
}

template <class Real>
const VectorKernels<Real>& portable();
template <>
const VectorKernels<float>& portable<float>() {
  return portable_kernels_float;
}
template <>
const VectorKernels<double>& portable<double>() {
  return portable_kernels_double;
}

template <class Real>
class VectorKernelsTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorKernelsTest, Reals);

TYPED_TEST(VectorKernelsTest, transform_as_the_definition_says) {
  using Real = TypeParam;
  constexpr auto width = static_cast<std::size_t>(2 * lanes_of<Real>);
  for (const auto* const kernels : {&vector_kernels<Real>(), &portable<Real>()}) {
    for (const int length : {16, 30, 192, 320}) {
      const FourierPlan<Real> plan(length);
      const auto points = static_cast<std::size_t>(length);
      const auto before = random_numbers<Real>(points * width);
      auto numbers = before;
      kernels->forward(plan, numbers.data());
      const auto lane = static_cast<std::size_t>(lanes_of<Real> - 1);
      for (const int frequency : {0, 1, length - 1}) {
        std::complex<double> sum;
        for (std::size_t point = 0; point < points; ++point) {
          const std::complex<double> value(before[point * width + lane],
                                           before[point * width + lane + width / 2]);
          // Around the circle once: a large angle has lost its last digits.
          const auto turned = static_cast<int>(point) * frequency % length;
          sum += value * std::polar(1.0, -2 * std::numbers::pi * turned / length);
        }
        const auto place =
            static_cast<std::size_t>(plan.place[static_cast<std::size_t>(frequency)]);
        const double allowed = 100 * double{std::numeric_limits<Real>::epsilon()};
        EXPECT_NEAR(sum.real(), numbers[place * width + lane], allowed);
        EXPECT_NEAR(sum.imag(), numbers[place * width + lane + width / 2], allowed);
      }
      kernels->inverse(plan, numbers.data());
      for (std::size_t index = 0; index < numbers.size(); ++index) {
        ASSERT_NEAR(numbers[index] / static_cast<Real>(length), before[index],
                    10 * std::numeric_limits<Real>::epsilon());
      }
    }
  }
}

TYPED_TEST(VectorKernelsTest, bits_of_a_product_do_not_depend_on_its_shape) {
  using Real = TypeParam;
  constexpr int inner = 37;
  constexpr int columns = 4 * lanes_of<Real>;
  constexpr int most_rows = 17;
  const auto left = random_numbers<Real>(std::size_t{most_rows} * inner);
  const auto right = random_numbers<Real>(std::size_t{inner} * columns);
  std::vector<Real> whole(std::size_t{most_rows} * columns);
  const auto multiply = [&](int first_row, int rows, int of_columns, Real* result) {
    vector_kernels<Real>().multiply({.rows = rows,
                                     .inner = inner,
                                     .columns = of_columns,
                                     .left = left.data() + first_row * inner,
                                     .left_row_step = inner,
                                     .left_inner_step = 1,
                                     .right = right.data(),
                                     .right_step = columns,
                                     .result = result,
                                     .result_step = columns});
  };
  multiply(0, most_rows, columns, whole.data());
  double expected = 0;
  for (std::size_t k = 0; k < inner; ++k) {
    expected += double{left[2 * inner + k]} * right[k * columns + 3];
  }
  EXPECT_NEAR(whole[2 * columns + 3], expected, 40 * std::numeric_limits<Real>::epsilon());
  for (int rows = 1; rows <= most_rows; ++rows) {
    std::vector<Real> part(whole.size());
    const int first = most_rows - rows;
    multiply(first, rows, columns / 2, part.data());
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns / 2; ++column) {
        ASSERT_EQ(part[static_cast<std::size_t>(row * columns + column)],
                  whole[static_cast<std::size_t>((first + row) * columns + column)]);
      }
    }
  }
}

TEST(FourierPlanTest, refuses_other_prime_factors) { EXPECT_THROW(FourierPlan<double>(14), Error); }

}  // namespace
}  // namespace halocline::numerics
