#include "halocline/numerics/poisson_bracket.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "halocline/numerics/gyro_model.hpp"

namespace halocline::numerics {
namespace {

using Complex = std::complex<double>;
using layout::Index;

/// The lines of a seed's functions: [mode][line][wave].
struct Lines {
  GyroGrid grid;
  std::vector<Complex> potential;
  std::vector<Complex> field;
  std::vector<Complex> bracket;

  Index mode_step() const { return grid.orbit_points * grid.radii; }

  explicit Lines(const GyroGrid& of)
      : grid(of), potential(static_cast<std::size_t>(of.modes * mode_step())) {
    field = bracket = potential;
    const GyroStart start(grid, 1, 0);
    for (Index mode = 0; mode < grid.modes; ++mode) {
      for (Index at = 0; at < mode_step(); ++at) {
        const Index index = at % grid.radii;
        if (grid.has_wave(index)) {
          const GyroPoint point{
              .mode = mode, .wave = grid.wave(index), .pair = 0, .orbit_point = at / grid.radii};
          potential[static_cast<std::size_t>(mode * mode_step() + at)] = start.potential(point);
          field[static_cast<std::size_t>(mode * mode_step() + at)] = start.distribution(point);
        }
      }
    }
    PoissonBracket(grid).compute(potential.data(), field.data(), bracket.data(), grid.orbit_points,
                                 mode_step());
  }

  /// The integral of the product of two of them over the plane, on a line.
  double integral(const std::vector<Complex>& one, const std::vector<Complex>& other,
                  Index line) const {
    double sum = 0;
    for (Index mode = 0; mode < grid.modes; ++mode) {
      for (Index index = 0; index < grid.radii; ++index) {
        const auto at = static_cast<std::size_t>(mode * mode_step() + line * grid.radii + index);
        sum += (mode == 0 ? 1 : 2) * (std::conj(one[at]) * other[at]).real();
      }
    }
    return sum;
  }
};

const GyroGrid even{.modes = 5, .radii = 14, .pitch_angles = 1, .energies = 1, .orbit_points = 6};
const GyroGrid odd{.modes = 4, .radii = 21, .pitch_angles = 1, .energies = 1, .orbit_points = 3};

TEST(PoissonBracketTest, keeps_the_integrals_of_f_of_its_square_and_of_f_times_the_potential) {
  for (const GyroGrid& grid : {even, odd}) {
    const Lines lines(grid);
    for (Index line = 0; line < grid.orbit_points; ++line) {
      const double size = std::sqrt(lines.integral(lines.bracket, lines.bracket, line));
      const auto sizes = [&](const std::vector<Complex>& of) {
        return size * std::sqrt(lines.integral(of, of, line));
      };
      ASSERT_GT(size, 0.01);
      EXPECT_LT(std::abs(lines.bracket[static_cast<std::size_t>(line * grid.radii)]), 1e-12 * size);
      EXPECT_LT(std::abs(lines.integral(lines.field, lines.bracket, line)),
                1e-12 * sizes(lines.field));
      EXPECT_LT(std::abs(lines.integral(lines.potential, lines.bracket, line)),
                1e-12 * sizes(lines.potential));
    }
  }
}

TEST(PoissonBracketTest, is_the_product_of_two_waves) {
  Lines lines(even);
  std::ranges::fill(lines.potential, Complex{});
  std::ranges::fill(lines.field, Complex{});
  // {2 cos 2r, 2 cos(3r + α)} = 4 sin 2r sin(3r + α) = 2 cos(r + α) - 2 cos(5r + α)
  lines.potential[2] = lines.potential[12] = 1;
  lines.field[static_cast<std::size_t>(lines.mode_step() + 3)] = 1;
  PoissonBracket(even).compute(lines.potential.data(), lines.field.data(), lines.bracket.data(), 1,
                               lines.mode_step());
  for (Index mode = 0; mode < even.modes; ++mode) {
    for (Index index = 0; index < even.radii; ++index) {
      const double expected = mode != 1 ? 0 : index == 1 ? 2 : index == 5 ? -2 : 0;
      const Complex value =
          lines.bracket[static_cast<std::size_t>(mode * lines.mode_step() + index)];
      EXPECT_NEAR(value.real(), expected, 1e-14) << mode << ' ' << index;
      EXPECT_NEAR(value.imag(), 0, 1e-14) << mode << ' ' << index;
    }
  }
}

TEST(PoissonBracketTest, has_the_same_bits_whichever_lines_it_computes_together) {
  const Lines lines(even);
  PoissonBracket bracket(even);
  std::vector<Complex> in_place = lines.field;
  for (Index line = even.orbit_points; line-- > 0;) {
    bracket.compute(lines.potential.data() + line * even.radii, in_place.data() + line * even.radii,
                    in_place.data() + line * even.radii, 1, lines.mode_step());
  }
  EXPECT_EQ(in_place, lines.bracket);
}

TEST(PoissonBracketTest, has_none_along_one_mode) {
  GyroGrid grid = even;
  grid.modes = 1;
  const Lines lines(grid);
  for (const Complex value : lines.bracket) {
    EXPECT_NEAR(std::abs(value), 0, 1e-15);
  }
}

TEST(GyroModelTest, counts_the_memory_that_brackets_take) {
  EXPECT_EQ(PoissonBracket::bytes_of(even), 2 * 9 * 20 * 64);
  // One line each: all arrays of a rank are smaller than the bracket's rows.
  const GyroGrid flat{
      .modes = 1024, .radii = 400, .pitch_angles = 1, .energies = 1, .orbit_points = 1};
  EXPECT_GT(GyroModel::bytes_of(flat, false, bundle::Near::messages, 1024),
            PoissonBracket::bytes_of(flat));
}

TEST(GyroStartTest, allows_its_time_step) {
  for (const Index radii : {7, 140}) {
    const GyroGrid grid{
        .modes = 16, .radii = radii, .pitch_angles = 2, .energies = 1, .orbit_points = 1};
    const GyroStart start(grid, 3, 0);
    const Index highest = grid.highest_wave();
    double gradients = 0;
    for (Index mode = 1 - grid.modes; mode < grid.modes; ++mode) {
      for (Index wave = -highest; wave <= highest; ++wave) {
        const GyroPoint point{.mode = mode, .wave = wave, .pair = 0, .orbit_point = 0};
        const GyroPoint opposite{.mode = -mode, .wave = -wave, .pair = 0, .orbit_point = 0};
        EXPECT_EQ(start.potential(point), std::conj(start.potential(opposite)));
        EXPECT_EQ(start.distribution(point), std::conj(start.distribution(opposite)));
        gradients += std::hypot(mode, wave) * std::abs(start.potential(point));
      }
    }
    const auto waves = static_cast<double>(highest + grid.modes);
    EXPECT_LT(gradients * waves * start.time_step(), 1);
  }
}

}  // namespace
}  // namespace halocline::numerics
