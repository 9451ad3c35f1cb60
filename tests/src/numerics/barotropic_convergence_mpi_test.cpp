#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "halocline/mpi/collectives.hpp"
#include "halocline/numerics/earth.hpp"
#include "numerics/barotropic_problem.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;
using test::BarotropicProblem;

constexpr Seconds long_step{86'400.0 * 10};  // the divergence counts more than the mass
constexpr double waves = 3;                  // along a circle of the grid's own latitude
constexpr float depth_m = 4000;
constexpr Index blocks_along = 4;

/// The Earth without land, and a smooth pressure on it that is flat at both edges. What the
/// operator makes of it is known by calculus: the map is conformal, so in the grid's own latitude
/// φ and longitude λ, A p = ∂area p / (2 α Δt² g) - H (p_λλ / cos φ + (cos φ p_φ)_φ) dλ dφ.
class SmoothProblem {
 public:
  SmoothProblem(Index columns, Index rows, const mpi::Communicator& world)
      : problem_(DisplacedPoleGrid(columns, rows),
                 OceanMask(columns, rows,
                           std::vector<std::uint8_t>(static_cast<std::size_t>(columns * rows), 1)),
                 std::vector<float>(static_cast<std::size_t>(columns * rows), depth_m),
                 layout::Distribution::cartesian, columns / blocks_along, rows / blocks_along,
                 long_step, world),
        step_y_(height / static_cast<double>(rows)),
        step_x_(2 * std::numbers::pi / static_cast<double>(columns)) {}

  /// Root mean square over the cells, relative to the amplitude. Collective.
  double error() {
    BlockVector right = problem_.fields().zeros();
    problem_.each_cell([&](Index i, Index j, std::size_t at) { right[at] = image(i, j); });
    const auto sum = GlobalSum::named("flat", problem_.world(), 64);
    const auto solver = BarotropicSolver::named("pcg", problem_.parts_of(*sum));
    BlockVector p = problem_.fields().zeros();
    solver->solve(right, p, {.iterations = 1200});
    std::array<double, 2> own{};
    problem_.each_cell([&](Index i, Index j, std::size_t at) {
      own[0] += std::pow(p[at] - pressure(i, j), 2);
      own[1] += 1;
    });
    std::array<double, 2> all{};
    mpi::Collectives(problem_.world())
        .all_reduce(std::span<const double>(own), std::span<double>(all));
    return std::sqrt(all[0] / all[1]);
  }

 private:
  static constexpr double south = -79 * std::numbers::pi / 180;
  static constexpr double height = 168 * std::numbers::pi / 180;

  double share(Index j) const { return (static_cast<double>(j) + 0.5) * step_y_ / height; }
  double wave(Index i) const { return std::cos(waves * (static_cast<double>(i) + 0.5) * step_x_); }
  double pressure(Index i, Index j) const {
    return wave(i) * std::pow(std::sin(std::numbers::pi * share(j)), 2);
  }
  double image(Index i, Index j) const {
    const double latitude = south + share(j) * height;
    const double rate = std::numbers::pi / height;
    const double along_y = rate * std::sin(2 * std::numbers::pi * share(j));
    const double along_y_twice = 2 * rate * rate * std::cos(2 * std::numbers::pi * share(j));
    const double divergence =
        -waves * waves * pressure(i, j) / std::cos(latitude) +
        wave(i) * (std::cos(latitude) * along_y_twice - std::sin(latitude) * along_y);
    const Spacing spacing = problem_.grid().spacing(static_cast<double>(i), static_cast<double>(j));
    const double mass = spacing.x_m * spacing.y_m /
                        (2.0 / 3 * long_step.count() * long_step.count() * earth::gravity_m_s2);
    return mass * pressure(i, j) - depth_m * divergence * step_x_ * step_y_;
  }

  BarotropicProblem problem_;
  double step_y_;
  double step_x_;
};

TEST(BarotropicConvergenceTest, errors_fall_with_the_square_of_the_spacing) {
  const auto world = mpi::Communicator::world();
  const double coarse = SmoothProblem(40, 48, world).error();
  const double middle = SmoothProblem(80, 96, world).error();
  const double fine = SmoothProblem(160, 192, world).error();
  EXPECT_LT(coarse, 0.1);
  EXPECT_NEAR(std::log2(coarse / middle), 2, 0.2);
  EXPECT_NEAR(std::log2(middle / fine), 2, 0.1);
}

}  // namespace
}  // namespace halocline::numerics
