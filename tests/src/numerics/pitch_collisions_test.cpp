#include "halocline/numerics/pitch_collisions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace halocline::numerics {
namespace {

using Complex = std::complex<double>;
using layout::Index;

GyroGrid grid_of(Index pitch_angles, Index energies) {
  return {.modes = 1,
          .radii = 1,
          .pitch_angles = pitch_angles,
          .energies = energies,
          .orbit_points = 1};
}

TEST(PitchCollisionsTest, keep_particles_of_each_energy_and_do_not_raise_the_square) {
  const GyroGrid grid = grid_of(7, 3);
  const Index points = 37;  // more than a strip, and no multiple of one
  for (const double time_step : {0.01, 1.0, 1000.0}) {
    const PitchCollisions collisions(grid, time_step);
    std::vector<Complex> values(static_cast<std::size_t>(grid.pairs() * points));
    for (std::size_t at = 0; at < values.size(); ++at) {
      values[at] = {std::sin(static_cast<double>(at * at)),
                    std::cos(3.0 * static_cast<double>(at))};
    }
    const std::vector<Complex> before = values;
    collisions.step(values.data(), points);
    double squares_before = 0;
    double squares = 0;
    for (Index energy = 0; energy < grid.energies; ++energy) {
      for (Index point = 0; point < points; ++point) {
        Complex change = 0;
        double size = 0;
        for (Index angle = 0; angle < grid.pitch_angles; ++angle) {
          const auto at =
              static_cast<std::size_t>((energy * grid.pitch_angles + angle) * points + point);
          change += values[at] - before[at];
          size += std::abs(before[at]);
          squares += std::norm(values[at]);
          squares_before += std::norm(before[at]);
        }
        EXPECT_LE(std::abs(change), 1e-13 * size) << time_step;
      }
    }
    EXPECT_LT(squares, squares_before);
  }
}

TEST(PitchCollisionsTest, damp_the_first_two_legendre_polynomials_as_the_operator_does) {
  const GyroGrid grid = grid_of(64, 1);
  const double time_step = 0.5;
  const double frequency = 1 / std::pow(3.0, 1.5);  // half of the highest energy
  const PitchCollisions collisions(grid, time_step);
  std::vector<Complex> values(64);
  for (std::size_t angle = 0; angle < values.size(); ++angle) {
    const double cosine = -1 + (2 * static_cast<double>(angle) + 1) / 64;
    values[angle] = {cosine, 1.5 * cosine * cosine - 0.5};
  }
  const std::vector<Complex> before = values;
  collisions.step(values.data(), 1);
  const auto damped = [&](double rate) {
    const double half = rate * frequency * time_step / 2;
    return (1 - half) / (1 + half);
  };
  EXPECT_NEAR(values[50].real() / before[50].real(), damped(1), 1e-3);
  EXPECT_NEAR(values[60].imag() / before[60].imag(), damped(3), 1e-3);
}

TEST(PitchCollisionsTest, leave_one_pitch_angle_alone) {
  std::vector<Complex> values{{1, 2}, {3, 4}};
  PitchCollisions(grid_of(1, 1), 1).step(values.data(), 2);
  EXPECT_EQ(values, (std::vector<Complex>{{1, 2}, {3, 4}}));
}

}  // namespace
}  // namespace halocline::numerics
