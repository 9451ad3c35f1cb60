#include "halocline/numerics/vector_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/base/pattern.hpp"
#include "halocline/numerics/compat/processor.hpp"
#include "halocline/numerics/legendre.hpp"
#include "halocline/numerics/sphere_sharing.hpp"

namespace halocline::numerics {

extern const VectorKernels<float> avx2_kernels_float;
extern const VectorKernels<double> avx2_kernels_double;
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

/// All that this processor has the instructions for.
template <class Real>
std::vector<const VectorKernels<Real>*> all_kernels() {
  std::vector<const VectorKernels<Real>*> all{&vector_kernels<Real>()};
  if constexpr (std::is_same_v<Real, float>) {
    all.push_back(&portable_kernels_float);
    all.push_back(has_avx2() ? &avx2_kernels_float : all.front());
  } else {
    all.push_back(&portable_kernels_double);
    all.push_back(has_avx2() ? &avx2_kernels_double : all.front());
  }
  return all;
}

template <class Real>
class VectorKernelsTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorKernelsTest, Reals);

TYPED_TEST(VectorKernelsTest, transform_as_the_definition_says) {
  using Real = TypeParam;
  constexpr auto width = static_cast<std::size_t>(2 * lanes_of<Real>);
  for (const auto* const kernels : all_kernels<Real>()) {
    for (const int length : {16, 30, 192, 256, 320}) {
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

TYPED_TEST(VectorKernelsTest, legendre_functions_are_those_of_extended_precision) {
  using Real = TypeParam;
  constexpr int last_degree = 341;
  const SpectralGrid grid = SpectralGrid::of(340);
  const int panels = grid.latitude_pairs / pairs_in_panel;
  for (const int order : {0, 1, 30, 140, 200, 339}) {
    const std::vector<RecurrenceStep> steps = recurrence_steps(order, last_degree);
    std::vector<std::vector<double>> expected;
    std::vector<double> seeds;
    double largest = 0;
    for (const double sine : grid.rows.sine) {
      expected.push_back(legendre_functions(order, last_degree, sine));
      const double most = std::abs(*std::ranges::max_element(
          expected.back(), {}, [](double value) { return std::abs(value); }));
      seeds.push_back(most > 1e-16 ? expected.back().front() : 0.0);
      EXPECT_TRUE(most <= 1e-16 || std::isnormal(seeds.back())) << order << ", " << sine;
      largest = std::max(largest, most);
    }
    EXPECT_GT(largest, 1);
    const auto degrees = static_cast<int>(steps.size());
    const std::ptrdiff_t even_step = std::ptrdiff_t{(degrees + 1) / 2} * pairs_in_panel;
    const std::ptrdiff_t odd_step = std::ptrdiff_t{degrees / 2} * pairs_in_panel;
    for (const auto* const kernels : all_kernels<Real>()) {
      const auto computed = [&](int together) {
        std::vector<Real> even(static_cast<std::size_t>(panels * even_step), Real(-99));
        std::vector<Real> odd(static_cast<std::size_t>(panels * odd_step), Real(-99));
        for (int first = 0; first < panels; first += together) {
          const std::ptrdiff_t skipped = std::ptrdiff_t{first} * pairs_in_panel;
          kernels->legendre({.panels = std::min(together, panels - first),
                             .degrees = degrees,
                             .steps = steps.data(),
                             .sines = grid.rows.sine.data() + skipped,
                             .seeds = seeds.data() + skipped,
                             .even = even.data() + first * even_step,
                             .even_step = even_step,
                             .odd = odd.data() + first * odd_step,
                             .odd_step = odd_step});
        }
        return std::pair(even, odd);
      };
      const auto [even, odd] = computed(panels);
      EXPECT_EQ(computed(1), std::pair(even, odd));
      EXPECT_EQ(computed(7), std::pair(even, odd));
      for (std::size_t pair = 0; pair < expected.size(); ++pair) {
        const auto panel = static_cast<std::ptrdiff_t>(pair / pairs_in_panel);
        const auto in_panel = static_cast<std::ptrdiff_t>(pair % pairs_in_panel);
        for (int degree = 0; degree < degrees; ++degree) {
          const std::ptrdiff_t row = std::ptrdiff_t{degree / 2} * pairs_in_panel + in_panel;
          const Real value = degree % 2 == 0
                                 ? even[static_cast<std::size_t>(panel * even_step + row)]
                                 : odd[static_cast<std::size_t>(panel * odd_step + row)];
          ASSERT_NEAR(value, expected[pair][static_cast<std::size_t>(degree)],
                      5e-12 + 11 * double{std::numeric_limits<Real>::epsilon()})
              << order << ", " << degree << ", " << pair;
        }
      }
    }
  }
}

TYPED_TEST(VectorKernelsTest, coefficients_come_back_from_their_places) {
  using Real = TypeParam;
  constexpr auto width = static_cast<std::size_t>(2 * lanes_of<Real>);
  const FourierPlan<Real> plan(16);
  const auto places = OrderPlaces::of(plan, {0, 1, 5});
  auto before = random_numbers<Real>(6 * width);
  for (const std::size_t imaginary : {width / 2, width + width / 2}) {  // of order 0
    std::fill_n(before.begin() + static_cast<std::ptrdiff_t>(imaginary), width / 2, Real{0});
  }
  constexpr std::ptrdiff_t step = width;
  for (const auto* const kernels : all_kernels<Real>()) {
    std::vector<Real> points(16 * width);
    std::vector<Real> after(before.size());
    kernels->spread(places.places(), {before.data(), 2 * step, step}, points.data(), points.data());
    // North and south of the order 1: the sum and the difference of what is even and what is odd.
    const std::size_t one = 2 * width;
    const std::size_t im = width / 2;
    EXPECT_EQ(points[static_cast<std::size_t>(places.orders[1]) * width],
              before[one] + before[one + width] - (before[one + im] - before[one + width + im]));
    EXPECT_EQ(points[static_cast<std::size_t>(places.mirrors[1]) * width + im],
              before[one] - before[one + width] - (before[one + im] + before[one + width + im]));
    kernels->gather(places.places(), Real(0.5), points.data(), points.data(),
                    {after.data(), 2 * step, step});
    for (std::size_t index = 0; index < before.size(); ++index) {
      EXPECT_NEAR(after[index], before[index], 10 * std::numeric_limits<Real>::epsilon()) << index;
    }
  }
}

TYPED_TEST(VectorKernelsTest, places_without_a_coefficient_become_0) {
  using Real = TypeParam;
  constexpr auto width = static_cast<std::size_t>(2 * lanes_of<Real>);
  constexpr std::ptrdiff_t step = width;
  const auto owner = OrderPlaces::of(FourierPlan<Real>(16), {0, 1, 5});
  const auto coefficients = random_numbers<Real>(6 * width);
  const FourierRow<const Real> row{coefficients.data(), 2 * step, step};
  for (const auto* const kernels : all_kernels<Real>()) {
    for (const int count : {0, 1, 2, 3}) {
      auto places = owner.places();
      places.count = count;
      std::vector<Real> cleared(16 * width);
      kernels->spread(places, row, cleared.data(), cleared.data());
      std::vector<Real> used(16 * width, Real{7});
      kernels->spread(places, row, used.data(), used.data());
      EXPECT_EQ(used, cleared) << count;
      EXPECT_EQ(std::ranges::count(cleared, Real{0}) == 16 * step, count == 0);
    }
  }
}

TYPED_TEST(VectorKernelsTest, mirrors_of_orders_that_do_not_matter_become_0_in_their_array) {
  using Real = TypeParam;
  constexpr auto width = static_cast<std::size_t>(2 * lanes_of<Real>);
  constexpr std::ptrdiff_t step = width;
  const OrderPlaces owner{.orders = {3, 1}, .mirrors = {0, 1}, .no_order = {0, 2}};
  auto places = owner.places();
  places.count = 1;
  const auto coefficients = random_numbers<Real>(4 * width);
  for (const auto* const kernels : all_kernels<Real>()) {
    std::vector<Real> points(4 * width, Real{7});
    std::vector<Real> mirrors(2 * width, Real{7});
    kernels->spread(places, {coefficients.data(), 2 * step, step}, points.data(), mirrors.data());
    EXPECT_EQ(std::ranges::count(points, Real{0}), 3 * step);
    EXPECT_EQ(std::ranges::count(points, Real{7}), 0);
    EXPECT_EQ(std::vector(mirrors.begin() + step, mirrors.end()), std::vector<Real>(width));
    EXPECT_EQ(std::ranges::count(mirrors, Real{0}), step);
    EXPECT_EQ(std::ranges::count(mirrors, Real{7}), 0);
  }
}

/// A left factor in panels of 8 rows, and a right one of three long vectors and a rest.
template <class Real>
struct Product {
  static constexpr int inner = 37;
  static constexpr int columns = 10 * lanes_of<Real>;
  static constexpr int rows = 24;

  std::vector<Real> left = random_numbers<Real>(std::size_t{rows} * inner);
  std::vector<Real> right = random_numbers<Real>(std::size_t{inner} * columns);

  /// Of some of 24 rows, or of the transposed left factor: of some of 37 rows.
  void multiply(const VectorKernels<Real>& kernels, bool transposed, Block of_rows, Block of_inner,
                int of_columns, Real* result) const {
    const Block of_pairs = transposed ? of_inner : of_rows;
    const int first = transposed ? of_rows.begin : of_inner.begin;
    constexpr std::ptrdiff_t panel_step = 8 * inner;
    kernels.multiply(
        {.rows = of_rows.count,
         .inner = of_inner.count,
         .columns = of_columns,
         .left = left.data() + of_pairs.begin / 8 * panel_step + 8 * first + of_pairs.begin % 8,
         .left_row_step = transposed ? 8 : 1,
         .left_inner_step = transposed ? 1 : 8,
         .panel = transposed ? 8 : inner,
         .panel_step = panel_step,
         .first_in_panel = transposed ? of_pairs.begin % 8 : 0,
         .right = right.data() + of_inner.begin * columns,
         .right_step = columns,
         .result = result,
         .result_step = columns});
  }
  Real left_at(int pair, int degree) const {
    return left[static_cast<std::size_t>((pair / 8 * inner + degree) * 8 + pair % 8)];
  }
};

TYPED_TEST(VectorKernelsTest, bits_of_a_product_do_not_depend_on_its_shape) {
  using Real = TypeParam;
  using Both = Product<Real>;
  const Both product;
  for (const auto* const kernels : all_kernels<Real>()) {
    for (const bool transposed : {false, true}) {
      const int all_rows = transposed ? Both::inner : 8;
      const Block inner = transposed ? Block{3, 17} : Block{0, Both::inner};
      std::vector<Real> whole(static_cast<std::size_t>(all_rows * Both::columns));
      product.multiply(*kernels, transposed, {0, all_rows}, inner, Both::columns, whole.data());
      double expected = 0;
      for (int k = inner.begin; k < inner.begin + inner.count; ++k) {
        const double left = transposed ? product.left_at(k, 2) : product.left_at(2, k);
        expected += left * product.right[static_cast<std::size_t>(k * Both::columns + 3)];
      }
      EXPECT_NEAR(whole[2 * Both::columns + 3], expected,
                  40 * std::numeric_limits<Real>::epsilon());
      for (int rows = 0; rows <= all_rows; ++rows) {
        const int first = all_rows - rows;
        for (int columns = 2 * lanes_of<Real>; columns <= Both::columns;
             columns += 2 * lanes_of<Real>) {
          std::vector<Real> part(whole.size());
          product.multiply(*kernels, transposed, {first, rows}, inner, columns, part.data());
          for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
              ASSERT_EQ(part[static_cast<std::size_t>(row * Both::columns + column)],
                        whole[static_cast<std::size_t>((first + row) * Both::columns + column)]);
            }
          }
        }
      }
    }
  }
}

TEST(FourierPlanTest, refuses_other_prime_factors) { EXPECT_THROW(FourierPlan<double>(14), Error); }

}  // namespace
}  // namespace halocline::numerics
