#include "halocline/numerics/stencil_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "halocline/numerics/compat/processor.hpp"

namespace halocline::numerics {

extern const StencilRows stencil_rows_avx512;
extern const StencilRows stencil_rows_avx2;
extern const StencilRows stencil_rows_portable;

namespace {

using Row = StencilRow<const double>;

/// Those that this processor can run.
std::vector<const StencilRows*> all_rows() {
  std::vector<const StencilRows*> rows{&stencil_rows_portable};
  if (has_avx2()) {
    rows.push_back(&stencil_rows_avx2);
  }
  if (has_avx512()) {
    rows.push_back(&stencil_rows_avx512);
  }
  return rows;
}

/// Three rows of a vector and of weights, the middle one of `length` cells.
class StencilRowsTest : public testing::Test {
 protected:
  static constexpr std::ptrdiff_t stride = 64;
  static constexpr std::ptrdiff_t first = stride + 8;

  Row row(std::ptrdiff_t length) const {
    return {.x = arrays_[0].data() + first,
            .east = arrays_[1].data() + first,
            .north = arrays_[2].data() + first,
            .north_east = arrays_[3].data() + first,
            .north_west = arrays_[4].data() + first,
            .stride = stride,
            .length = length};
  }

  static Row moved(Row row, std::ptrdiff_t cells) {
    row.x += cells;
    row.east += cells;
    row.north += cells;
    row.north_east += cells;
    row.north_west += cells;
    return row;
  }

  /// The product of a cell, neighbour by neighbour.
  double image(std::ptrdiff_t k) const {
    const auto at = [this](std::size_t array, std::ptrdiff_t cell) {
      return arrays_[array][static_cast<std::size_t>(first + cell)];
    };
    double sum = at(0, k);
    const std::array<std::ptrdiff_t, 4> steps{1, stride, stride + 1, stride - 1};
    for (std::size_t array = 1; array < arrays_.size(); ++array) {
      const std::ptrdiff_t step = steps[array - 1];
      sum += at(array, k) * at(0, k + step) + at(array, k - step) * at(0, k - step);
    }
    return sum;
  }

  double x(std::ptrdiff_t k) const { return arrays_[0][static_cast<std::size_t>(first + k)]; }

 private:
  static std::vector<std::vector<double>> random_arrays() {
    std::mt19937 engine(1);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<std::vector<double>> arrays(5, std::vector<double>(3 * stride));
    for (auto& array : arrays) {
      for (double& number : array) {
        number = between(engine);
      }
    }
    return arrays;
  }

  std::vector<std::vector<double>> arrays_ = random_arrays();
};

constexpr double tolerance = 1e-14;
constexpr double untouched = 7;

TEST_F(StencilRowsTest, every_set_of_instructions_gives_the_products_of_all_neighbours) {
  for (const StencilRows* const rows : all_rows()) {
    for (const std::ptrdiff_t length : {0, 1, 3, 8, 21, 40}) {
      const std::vector<double> right(41, 0.25);
      std::vector<double> plain(41, untouched);
      std::vector<double> with_sums(41, untouched);
      std::vector<double> residual(41, untouched);
      std::vector<double> products(41, 1.0);
      std::vector<double> squares(41, 2.0);
      rows->apply(row(length), plain.data());
      rows->apply_with_sums(row(length), with_sums.data(), products.data(), squares.data());
      rows->residual(row(length), right.data(), residual.data());
      for (std::ptrdiff_t k = 0; k < length; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_NEAR(plain[at], image(k), tolerance);
        EXPECT_NEAR(with_sums[at], image(k), tolerance);
        EXPECT_NEAR(residual[at], 0.25 - image(k), tolerance);
        EXPECT_NEAR(products[at], 1 + x(k) * image(k), tolerance);
        EXPECT_NEAR(squares[at], 2 + x(k) * x(k), tolerance);
      }
      const auto end = static_cast<std::size_t>(length);
      EXPECT_EQ(plain[end], untouched);
      EXPECT_EQ(with_sums[end], untouched);
      EXPECT_EQ(residual[end], untouched);
      EXPECT_EQ(products[end], 1.0);
      EXPECT_EQ(squares[end], 2.0);
    }
  }
}

/// Ranks part a row anywhere: then another cell is the first of a vector, or of the rest.
TEST_F(StencilRowsTest, bits_do_not_depend_on_where_a_row_begins_and_ends) {
  const std::vector<double> right(40, 0.3);
  for (const StencilRows* const rows : all_rows()) {
    const auto all = [&](std::ptrdiff_t begin, std::ptrdiff_t length) {
      const Row part = moved(row(length), begin);
      const auto count = static_cast<std::size_t>(length);
      std::array<std::vector<double>, 5> results;
      results.fill(std::vector<double>(count, 0.7));
      rows->apply(part, results[0].data());
      rows->residual(part, right.data() + begin, results[1].data());
      rows->apply_with_sums(part, results[2].data(), results[3].data(), results[4].data());
      return results;
    };
    const auto whole = all(0, 40);
    for (std::ptrdiff_t begin = 0; begin < 40; ++begin) {
      for (std::ptrdiff_t length = 1; begin + length <= 40; ++length) {
        const auto part = all(begin, length);
        for (std::size_t which = 0; which < whole.size(); ++which) {
          const auto first = whole[which].begin() + begin;
          EXPECT_EQ(part[which], std::vector<double>(first, first + length))
              << "result " << which << " of " << length << " cells from " << begin;
        }
      }
    }
  }
}

}  // namespace
}  // namespace halocline::numerics
