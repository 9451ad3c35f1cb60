#include <gtest/gtest.h>

#include <array>
#include <map>

#include "halocline/base/error.hpp"
#include "halocline/numerics/block_ssor.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/preconditioner.hpp"
#include "numerics/barotropic_problem.hpp"

namespace halocline::numerics {
namespace {

using layout::Distribution;
using layout::Index;
using test::barotropic_solvers;
using test::barotropic_step;
using test::BarotropicProblem;
using test::x1_on;

constexpr std::array blockwise{"block_ssor", "block_evp"};
constexpr Index square = 8;

double dot(const BarotropicProblem& problem, const BlockVector& one, const BlockVector& other) {
  double sum = 0;
  problem.each_cell([&](Index /*i*/, Index /*j*/, std::size_t at) { sum += one[at] * other[at]; });
  return sum;
}

/// Numbers between -1 and 1.
BlockVector drawn(const BarotropicProblem& problem, Index seed) {
  BlockVector vector = problem.fields().zeros();
  problem.each_cell([&](Index i, Index j, std::size_t at) {
    vector[at] = static_cast<double>((i * 7919 + j * 104'729 + seed * 31) % 2003) / 1001 - 1;
  });
  return vector;
}

TEST(PreconditionerTest, is_symmetric_and_positive) {
  const auto world = mpi::Communicator::world();
  const BarotropicProblem problem = x1_on(world);
  for (const char* name : blockwise) {
    const auto preconditioner = Preconditioner::named(name, problem.a());
    const BlockVector one = drawn(problem, 1);
    const BlockVector other = drawn(problem, 2);
    BlockVector image_of_one = problem.fields().zeros();
    BlockVector image_of_other = problem.fields().zeros();
    preconditioner->apply(one, image_of_one);
    preconditioner->apply(other, image_of_other);
    const double size = dot(problem, one, image_of_one);
    EXPECT_GT(size, 0) << name;
    EXPECT_GT(dot(problem, other, image_of_other), 0) << name;
    EXPECT_NEAR(dot(problem, other, image_of_one), dot(problem, one, image_of_other), 1e-9 * size)
        << name;
    EXPECT_GT(preconditioner->operations(), 0);
    EXPECT_GT(preconditioner->memory_bytes(), 0U);
  }
  EXPECT_EQ(Preconditioner::named("diagonal", problem.a()), nullptr);
  EXPECT_THROW(Preconditioner::named("ilu", problem.a()), Error);
}

TEST(BlockSsorTest, product_between_factors_is_that_of_three_operators) {
  const auto world = mpi::Communicator::world();
  for (const auto& [columns, rows] : {std::pair{Index{40}, Index{48}}, {Index{13}, Index{6}}}) {
    const BarotropicProblem problem("x1", Distribution::space_filling_curve, columns, rows,
                                    barotropic_step, world);
    const auto sum = GlobalSum::named("flat", world, 64);
    const SolverParts parts = problem.parts_of(*sum);
    const BlockSsor factors(problem.a());
    const BlockVector v = drawn(problem, 5);
    const BlockVector right = drawn(problem, 6);
    HaloedVector x(parts);
    factors.divide_by_upper(v, x.values());
    BlockVector same = x.values();
    factors.multiply_by_upper(same);
    x.update();
    BlockVector image_of_x = problem.fields().zeros();
    BlockVector expected = problem.fields().zeros();
    problem.a().apply(x.values(), image_of_x);
    factors.divide_by_lower(image_of_x, expected);
    BlockVector product = problem.fields().zeros();
    BlockVector rest = problem.fields().zeros();
    PartialSums sums(problem.fields().widest(), 2, Summation::plain);
    factors.multiply(v, x.values(), product, &sums);
    factors.residual(right, v, x.values(), rest);
    problem.each_cell([&](Index /*i*/, Index /*j*/, std::size_t at) {
      ASSERT_NEAR(same[at], v[at], 1e-12);
      ASSERT_NEAR(product[at], expected[at], 1e-12);
      ASSERT_NEAR(rest[at], right[at] - expected[at], 1e-12);
    });
    const double squares = dot(problem, v, v);
    EXPECT_NEAR(sums.value(0), dot(problem, v, expected), 1e-12 * squares);
    EXPECT_NEAR(sums.value(1), squares, 1e-12 * squares);
  }
}

TEST(PreconditionerTest, ghosts_and_land_count_for_nothing) {
  const auto world = mpi::Communicator::world();
  const BarotropicProblem problem = x1_on(world);
  for (const char* name : blockwise) {
    const auto preconditioner = Preconditioner::named(name, problem.a());
    const BlockVector clean = drawn(problem, 3);
    BlockVector with_ghosts = problem.fields().zeros();
    std::ranges::fill(with_ghosts, 7.0);
    BlockVector other = with_ghosts;
    for (std::size_t part = 0; part < problem.fields().parts().size(); ++part) {
      const layout::Box& box = problem.fields().parts()[part].local;
      for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
        for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
          const std::size_t at = problem.fields().at(part, i, j);
          with_ghosts[at] = clean[at];
          other[at] = 0;
        }
      }
    }
    BlockVector expected = problem.fields().zeros();
    preconditioner->apply(clean, expected);
    preconditioner->apply(with_ghosts, other);
    for (std::size_t part = 0; part < problem.fields().parts().size(); ++part) {
      const layout::Box& box = problem.fields().parts()[part].local;
      for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
        for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
          const std::size_t at = problem.fields().at(part, i, j);
          EXPECT_EQ(other[at], expected[at]) << name;
          if (!problem.fields().ocean(i, j)) {
            EXPECT_EQ(other[at], 0) << name;
          }
        }
      }
    }
  }
}

/// S x of a cell, with those cells of x alone that `counts` names by their column and row.
template <class Counts>
double part_of_image(const BarotropicProblem& problem, const BlockVector& x, std::size_t part,
                     Index i, Index j, Counts counts) {
  const auto& [east, north, north_east, north_west] = problem.a().weights();
  const auto at = [&](Index column, Index row) { return problem.fields().at(part, column, row); };
  const std::size_t here = at(i, j);
  double image = x[here];
  const auto add = [&](Index column, Index row, double weight) {
    if (counts(column, row)) {
      image += weight * x[at(column, row)];
    }
  };
  add(i + 1, j, east[here]);
  add(i - 1, j, east[at(i - 1, j)]);
  add(i, j + 1, north[here]);
  add(i, j - 1, north[at(i, j - 1)]);
  add(i + 1, j + 1, north_east[here]);
  add(i - 1, j - 1, north_east[at(i - 1, j - 1)]);
  add(i - 1, j + 1, north_west[here]);
  add(i + 1, j - 1, north_west[at(i + 1, j - 1)]);
  return image;
}

TEST(BlockEvpTest, inverts_each_square_coasts_too) {
  const auto world = mpi::Communicator::world();
  for (const Index block : {Index{48}, Index{28}}) {  // with squares that are cut off, too
    const BarotropicProblem problem("x1", Distribution::space_filling_curve, block, block,
                                    barotropic_step, world);
    const auto preconditioner = Preconditioner::named("block_evp", problem.a());
    const BlockVector right = drawn(problem, 4);
    BlockVector x = problem.fields().zeros();
    preconditioner->apply(right, x);
    double most = 0;
    for (std::size_t part = 0; part < problem.fields().parts().size(); ++part) {
      const layout::Box& box = problem.fields().parts()[part].local;
      for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
        for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
          if (!problem.fields().ocean(i, j)) {
            continue;
          }
          const Index left = i - (i - box.lower[0]) % square;
          const Index low = j - (j - box.lower[1]) % square;
          const double image = part_of_image(problem, x, part, i, j, [&](Index column, Index row) {
            return column >= left && column < std::min(left + square, box.upper[0]) && row >= low &&
                   row < std::min(low + square, box.upper[1]);
          });
          most = std::max(most, std::abs(image - right[problem.fields().at(part, i, j)]));
        }
      }
    }
    EXPECT_LT(most, 1e-8);  // rounding, which grows by about six with each row
  }
}

TEST(PreconditionerTest, solvers_find_the_known_solution_in_fewer_iterations) {
  const auto world = mpi::Communicator::world();
  const BarotropicProblem problem = x1_on(world);
  const auto sum = GlobalSum::named("flat", world, 64);
  for (const char* solver_name : barotropic_solvers) {
    std::map<std::string_view, std::int64_t> iterations;
    for (const char* name : {"diagonal", "block_ssor", "block_evp"}) {
      const auto preconditioner = Preconditioner::named(name, problem.a());
      SolverParts parts = problem.parts_of(*sum);
      parts.preconditioner = preconditioner.get();
      const auto solver = BarotropicSolver::named(solver_name, parts);
      BlockVector p = problem.fields().zeros();
      const Solved solved = solver->solve(problem.right(), p, {.tolerance = 1e-13});
      EXPECT_TRUE(solved.converged) << solver_name << " " << name;
      double off = 0;
      problem.each_cell([&](Index /*i*/, Index /*j*/, std::size_t at) {
        off = std::max(off, std::abs(p[at] - problem.known()[at]));
      });
      EXPECT_LT(off, 1e-4 * earth::gravity_m_s2) << solver_name << " " << name;
      iterations[name] = solved.iterations;
      if (world.rank() == 0) {
        RecordProperty(std::string(solver_name) + " " + name, std::to_string(solved.iterations));
      }
    }
    EXPECT_LT(iterations["block_ssor"], 0.6 * static_cast<double>(iterations["diagonal"]))
        << solver_name;
    EXPECT_LT(iterations["block_evp"], 0.6 * static_cast<double>(iterations["diagonal"]))
        << solver_name;
  }
}

TEST(PreconditionerTest, gives_the_bits_of_one_rank_with_the_same_blocks) {
  const auto world = mpi::Communicator::world();
  const auto alone = world.part(world.rank());
  const auto bits = [](const mpi::Communicator& ranks, const char* name, const char* solver_name,
                       Distribution distribution, Index block) {
    const BarotropicProblem problem("x1", distribution, block, block, barotropic_step, ranks);
    const auto sum = GlobalSum::named("flat", ranks, 64);
    const auto preconditioner = Preconditioner::named(name, problem.a());
    SolverParts parts = problem.parts_of(*sum, Summation::reproducible);
    parts.preconditioner = preconditioner.get();
    const auto solver = BarotropicSolver::named(solver_name, parts);
    BlockVector p = problem.fields().zeros();
    solver->solve(problem.right(), p, {.iterations = 40});
    return problem.bits_of(p);
  };
  for (const auto& [name, solver] :
       {std::pair{"block_ssor", "chronopoulos_gear"}, std::pair{"block_evp", "pcsi"}}) {
    const std::uint64_t expected = bits(alone, name, solver, Distribution::cartesian, 48);
    EXPECT_EQ(bits(world, name, solver, Distribution::space_filling_curve, 48), expected) << name;
    // Squares are the same in other blocks.
    const std::uint64_t other = bits(world, name, solver, Distribution::rake, 32);
    EXPECT_EQ(other == expected, std::string_view{name} == "block_evp") << name;
  }
}

}  // namespace
}  // namespace halocline::numerics
