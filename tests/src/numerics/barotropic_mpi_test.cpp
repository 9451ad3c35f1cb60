#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>

#include "halocline/base/error.hpp"
#include "halocline/mpi/collectives.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/spectrum.hpp"
#include "numerics/barotropic_problem.hpp"

namespace halocline::numerics {
namespace {

using layout::Distribution;
using layout::Index;
using test::barotropic_solvers;
using test::barotropic_step;
using test::BarotropicProblem;
using test::x1_on;

double sum_over(const mpi::Communicator& world, double own) {
  double sum = 0;
  mpi::Collectives(world).all_reduce(std::span(&own, 1), std::span(&sum, 1));
  return sum;
}

/// Largest difference from the known solution, over all ranks, relative to its amplitude.
double error_of(const BarotropicProblem& problem, const BlockVector& p) {
  double largest = 0;
  problem.each_cell([&](Index /*i*/, Index /*j*/, std::size_t at) {
    largest = std::max(largest, std::abs(p[at] - problem.known()[at]));
  });
  const auto scaled = static_cast<std::int64_t>(1e15 * largest / earth::gravity_m_s2);
  return static_cast<double>(problem.world().maximum(scaled)) * 1e-15;
}

TEST(BarotropicOperatorTest, keeps_a_constant_but_for_the_term_of_mass) {
  const auto world = mpi::Communicator::world();
  BarotropicProblem problem = x1_on(world);
  BlockVector ones = problem.fields().zeros();
  problem.each_cell([&](Index /*i*/, Index /*j*/, std::size_t at) { ones[at] = 1; });
  BlockVector image = problem.fields().zeros();
  problem.image(ones, image);
  problem.each_cell([&](Index i, Index j, std::size_t at) {
    const Spacing spacing = problem.grid().spacing(static_cast<double>(i), static_cast<double>(j));
    const double mass =
        spacing.x_m * spacing.y_m /
        (2.0 / 3 * barotropic_step.count() * barotropic_step.count() * earth::gravity_m_s2);
    EXPECT_NEAR(image[at], mass, 1e-9 * (mass + 1e4)) << i << " " << j;
  });
}

TEST(BarotropicOperatorTest, is_symmetric) {
  const auto world = mpi::Communicator::world();
  BarotropicProblem problem = x1_on(world);
  BlockVector one = problem.fields().zeros();
  BlockVector other = problem.fields().zeros();
  problem.each_cell([&](Index i, Index j, std::size_t at) {
    one[at] = static_cast<double>((i * 7919 + j * 104'729) % 101) - 50;
    other[at] = static_cast<double>((i * 6007 + j * 1299) % 89) - 44;
  });
  BlockVector image_of_one = problem.fields().zeros();
  BlockVector image_of_other = problem.fields().zeros();
  problem.image(one, image_of_one);
  problem.image(other, image_of_other);
  double there = 0;
  double back = 0;
  double size = 0;
  problem.each_cell([&](Index /*i*/, Index /*j*/, std::size_t at) {
    there += other[at] * image_of_one[at];
    back += one[at] * image_of_other[at];
    size += one[at] * image_of_one[at];
  });
  EXPECT_NEAR(sum_over(world, there), sum_over(world, back), 1e-10 * sum_over(world, size));
}

TEST(BarotropicSolverTest, all_solvers_find_the_known_solution) {
  const auto world = mpi::Communicator::world();
  BarotropicProblem problem = x1_on(world);
  std::map<std::string_view, std::int64_t> iterations;
  for (const char* name : barotropic_solvers) {
    const auto sum = GlobalSum::named("flat", world, 64);
    const auto solver = BarotropicSolver::named(name, problem.parts_of(*sum));
    BlockVector p = problem.fields().zeros();
    const Solved solved = solver->solve(problem.right(), p, {.tolerance = 1e-13});
    EXPECT_TRUE(solved.converged) << name;
    EXPECT_LT(error_of(problem, p), 1e-4) << name;
    iterations[name] = solved.iterations;
    // What it says of the residual is true.
    BlockVector image = problem.fields().zeros();
    problem.image(p, image);
    double residual = 0;
    double areas = 0;
    problem.each_cell([&](Index i, Index j, std::size_t at) {
      const Spacing spacing =
          problem.grid().spacing(static_cast<double>(i), static_cast<double>(j));
      residual += std::pow(problem.right()[at] - image[at], 2);
      areas += std::pow(spacing.x_m * spacing.y_m, 2);
    });
    const double norm = std::sqrt(sum_over(world, residual) / sum_over(world, areas));
    EXPECT_NEAR(solved.residual, norm, 0.01 * norm) << name;
  }
  for (const char* name : {"chronopoulos_gear", "pipelined", "gropp"}) {
    EXPECT_LE(std::abs(iterations[name] - iterations["pcg"]), iterations_between_checks) << name;
  }
  EXPECT_LT(iterations["pcsi"], 2 * iterations["pcg"]);
  EXPECT_GT(iterations["pcsi"], iterations["pcg"]);
  if (world.rank() == 0) {
    for (const auto& [name, count] : iterations) {
      testing::Test::RecordProperty(std::string{name}, static_cast<int>(count));
    }
  }
}

TEST(BarotropicSolverTest, starts_from_the_first_guess) {
  const auto world = mpi::Communicator::world();
  BarotropicProblem problem = x1_on(world);
  const auto sum = GlobalSum::named("flat", world, 64);
  const auto solver = BarotropicSolver::named("pcg", problem.parts_of(*sum));
  BlockVector p = problem.known();
  const Solved solved = solver->solve(problem.right(), p, {.tolerance = 1e-13});
  EXPECT_EQ(solved.iterations, iterations_between_checks);
  EXPECT_LT(error_of(problem, p), 1e-9);
}

TEST(BarotropicSolverTest, says_on_all_ranks_what_is_not_a_number) {
  const auto world = mpi::Communicator::world();
  BarotropicProblem problem = x1_on(world);
  const auto sum = GlobalSum::named("flat", world, 64);
  for (const Summation summation : {Summation::plain, Summation::reproducible}) {
    const auto solver = BarotropicSolver::named("pcg", problem.parts_of(*sum, summation));
    BlockVector right = problem.right();
    if (world.rank() == world.size() - 1) {
      bool first = true;
      problem.each_cell([&](Index /*i*/, Index /*j*/, std::size_t at) {
        right[at] =
            std::exchange(first, false) ? std::numeric_limits<double>::quiet_NaN() : right[at];
      });
    }
    BlockVector p = problem.fields().zeros();
    EXPECT_THROW(solver->solve(right, p, {.tolerance = 1e-13}), Error);
  }
  EXPECT_THROW(BarotropicSolver::named("multigrid", problem.parts_of(*sum)), Error);
}

TEST(BarotropicSolverTest, reproducible_sums_give_the_bits_of_one_rank) {
  const auto world = mpi::Communicator::world();
  const auto alone = world.part(world.rank());
  const auto solved = [](BarotropicProblem& problem, const char* name, const char* sum_name) {
    const auto sum = GlobalSum::named(sum_name, problem.world(), 64);
    const auto solver =
        BarotropicSolver::named(name, problem.parts_of(*sum, Summation::reproducible));
    BlockVector p = problem.fields().zeros();
    solver->solve(problem.right(), p, {.iterations = 60});
    return problem.bits_of(p);
  };
  std::map<std::string, std::uint64_t> expected;
  BarotropicProblem whole("x1", Distribution::cartesian, 320, 384, barotropic_step, alone);
  for (const char* name : {"pcg", "chronopoulos_gear", "gropp", "pipelined"}) {
    expected[name] = solved(whole, name, "flat");
  }
  EXPECT_NE(expected["pcg"], expected["chronopoulos_gear"]);  // rounded otherwise
  for (const Distribution distribution :
       {Distribution::cartesian, Distribution::rake, Distribution::space_filling_curve}) {
    for (const std::pair<Index, Index> block : {std::pair{40, 48}, std::pair{24, 112}}) {
      BarotropicProblem problem("x1", distribution, block.first, block.second, barotropic_step,
                                world);
      EXPECT_EQ(solved(problem, "pcg", "two_level"), expected["pcg"]);
      EXPECT_EQ(solved(problem, "chronopoulos_gear", "overlapped"), expected["chronopoulos_gear"]);
      if (distribution == Distribution::space_filling_curve) {
        EXPECT_EQ(solved(problem, "gropp", "overlapped"), expected["gropp"]);
        EXPECT_EQ(solved(problem, "pipelined", "overlapped"), expected["pipelined"]);
      }
    }
  }
}

TEST(GlobalSumTest, every_way_adds_the_numbers_of_all_ranks_again_and_again) {
  const auto world = mpi::Communicator::world();
  for (const char* name : {"flat", "two_level", "overlapped", "one_sided"}) {
    try {
      const auto sum = GlobalSum::named(name, world, 3);
      for (int round = 0; round < 20; ++round) {
        std::array<double, 3> numbers{};
        const std::size_t count = static_cast<std::size_t>(round % 3) + 1;
        for (std::size_t index = 0; index < count; ++index) {
          numbers[index] = world.rank() + 100.0 * static_cast<double>(index) + round;
        }
        sum->start(std::span(numbers).first(count));
        sum->finish();
        const double ranks = world.size();
        for (std::size_t index = 0; index < count; ++index) {
          EXPECT_EQ(numbers[index],
                    ranks * (ranks - 1) / 2 + ranks * (100.0 * static_cast<double>(index) + round))
              << name;
        }
      }
    } catch (const Skip& skip) {
      EXPECT_EQ(std::string{name}, "one_sided") << skip.what();
    }
  }
  EXPECT_THROW(GlobalSum::named("tree", world, 1), Error);
}

TEST(SpectrumTest, of_the_operator_is_that_of_its_matrix) {
  // -1, 2, -1 of ten rows: 2 - 2 cos(k π / 11).
  const Spectrum laplacian =
      tridiagonal_spectrum(std::vector<double>(10, 2.0), std::vector<double>(9, -1.0));
  EXPECT_NEAR(laplacian.least, 2 - 2 * std::cos(std::numbers::pi / 11), 1e-12);
  EXPECT_NEAR(laplacian.largest, 2 + 2 * std::cos(std::numbers::pi / 11), 1e-12);
  EXPECT_THROW(tridiagonal_spectrum({}, {}), Error);
}

}  // namespace
}  // namespace halocline::numerics
