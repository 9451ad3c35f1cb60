#include "halocline/numerics/surface_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

#include "halocline/base/error.hpp"
#include "numerics/barotropic_problem.hpp"

namespace halocline::numerics {
namespace {

using test::barotropic_step;
using test::BarotropicProblem;
using test::x1_on;
using Clock = std::chrono::steady_clock;

/// The system of x1 with its vectors, and how long and how often each stage was.
class SurfaceProblem {
 public:
  SurfaceProblem(const BarotropicProblem& problem, int solver_ranks, Barriers barriers)
      : problem_(problem), right_(problem.right()), pressure_(problem.fields().zeros()) {
    const LargeVector<float> depth_m = ocean_depth_m(problem.mask(), problem.grid());
    SurfaceMethod method{
        .solver = "pcg", .summation = Summation::reproducible, .barriers = barriers};
    if (solver_ranks > 0) {
      method.blocks = layout::ocean_blocks(
          problem.grid().columns(), problem.grid().rows(), 64, 64,
          [&](const layout::Box& box) { return problem.mask().count(box); },
          layout::Distribution::rake, solver_ranks);
    }
    solver_ = std::make_unique<SurfaceSolver>(
        SurfaceParts{
            .grid = problem.grid(),
            .depth_m = depth_m,
            .time_step = barotropic_step,
            .fields = problem.fields(),
            .method = method,
            .ranks = problem.world(),
            .way = {.protocol = &protocol::find("isend_irecv"), .near = bundle::Near::messages},
            .on_stage = [this](Stage stage) { begin(stage); }},
        right_, pressure_);
    spent_.clear();
    begun_.clear();
  }

  Solved solve(const Stop& stop) {
    std::ranges::fill(pressure_, 0.0);
    solver_->meet();
    const Solved solved = solver_->solve(stop);
    begin(Stage::vectors);
    return solved;
  }

  BlockVector& right() { return right_; }
  std::uint64_t bits() const { return problem_.bits_of(pressure_); }
  Seconds spent(Stage stage) { return spent_[stage]; }
  std::int64_t begun(Stage stage) { return begun_[stage]; }

 private:
  void begin(Stage stage) {
    const Clock::time_point now = Clock::now();
    spent_[stage_] += now - since_;
    begun_[stage] += stage == stage_ ? 0 : 1;
    since_ = now;
    stage_ = stage;
  }

  const BarotropicProblem& problem_;
  BlockVector right_;
  BlockVector pressure_;
  std::unique_ptr<SurfaceSolver> solver_;
  std::map<Stage, Seconds> spent_;
  std::map<Stage, std::int64_t> begun_;
  Stage stage_ = Stage::vectors;
  Clock::time_point since_ = Clock::now();
};

TEST(SurfaceSolverTest, ranks_that_solve_are_spread_over_all) {
  EXPECT_EQ(spread_ranks(0, 4), std::vector<int>{});
  EXPECT_EQ(spread_ranks(1, 4), std::vector{0});
  EXPECT_EQ(spread_ranks(2, 4), (std::vector{0, 2}));
  EXPECT_EQ(spread_ranks(3, 8), (std::vector{0, 2, 5}));
  EXPECT_EQ(spread_ranks(4, 4), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(spread_ranks(2, 2'000'000'000), (std::vector{0, 1'000'000'000}));
  EXPECT_THROW(barriers_named("all"), Error);
}

TEST(SurfaceSolverTest, finds_the_same_bits_on_some_ranks_as_on_all) {
  const auto world = mpi::Communicator::world();
  const BarotropicProblem problem = x1_on(world);
  SurfaceProblem all(problem, 0, Barriers::none);
  const Solved expected = all.solve({.iterations = 10});
  for (int ranks = 1; ranks <= world.size(); ++ranks) {
    SurfaceProblem some(problem, ranks, Barriers::none);
    for (int again = 0; again < 2; ++again) {
      const Solved solved = some.solve({.iterations = 10});
      EXPECT_EQ(some.bits(), all.bits()) << ranks;
      EXPECT_EQ(solved.residual, expected.residual) << ranks;  // on all ranks
      EXPECT_EQ(solved.iterations, 10);
    }
    const std::vector<int> solving = spread_ranks(ranks, world.size());
    const bool solves = std::ranges::count(solving, world.rank()) > 0;
    EXPECT_EQ(some.begun(Stage::stencil) > 0, solves);
    EXPECT_EQ(some.begun(Stage::remap), 4);
    EXPECT_EQ(some.begun(Stage::waiting), 2);
  }
}

TEST(SurfaceSolverTest, all_ranks_say_what_is_not_a_number) {
  const auto world = mpi::Communicator::world();
  const BarotropicProblem problem = x1_on(world);
  SurfaceProblem surface(problem, 1, Barriers::solve);
  if (world.rank() == world.size() - 1) {
    bool first = true;
    problem.each_cell([&](layout::Index /*i*/, layout::Index /*j*/, std::size_t at) {
      if (std::exchange(first, false)) {
        surface.right()[at] = std::numeric_limits<double>::quiet_NaN();
      }
    });
  }
  EXPECT_THROW(surface.solve({.iterations = 10}), Error);
}

TEST(SurfaceSolverTest, waiting_for_a_late_rank_is_not_taken_for_solving) {
  constexpr Seconds late{0.06};
  const auto world = mpi::Communicator::world();
  const BarotropicProblem problem = x1_on(world);
  const bool is_late = world.rank() == world.size() - 1;
  for (const Barriers barriers : {Barriers::none, Barriers::solve}) {
    Seconds longest{0};  // other work may hold up a rank that should wait
    for (int attempt = 0; attempt < 5; ++attempt) {
      SurfaceProblem surface(problem, 0, barriers);
      world.barrier();
      if (is_late) {
        std::this_thread::sleep_for(late);
      }
      surface.solve({.iterations = 10});
      EXPECT_EQ(surface.begun(Stage::waiting), barriers == Barriers::none ? 0 : 1);
      const Seconds of_others = surface.spent(Stage::halo) + surface.spent(Stage::global_sum);
      longest =
          std::max(longest, barriers == Barriers::none ? of_others : surface.spent(Stage::waiting));
    }
    if (!is_late) {
      EXPECT_GT(longest, 0.8 * late);
    }
  }
}

TEST(SurfaceSolverTest, waits_before_each_sum_if_asked) {
  const auto world = mpi::Communicator::world();
  const BarotropicProblem problem = x1_on(world);
  SurfaceProblem surface(problem, 0, Barriers::sums);
  surface.solve({.iterations = 10});
  // Two sums an iteration, one at the beginning, one of the residual; and where all meet at first.
  EXPECT_EQ(surface.begun(Stage::global_sum), 2 * (2 * 10 + 2));
  EXPECT_EQ(surface.begun(Stage::waiting), 2 * 10 + 2 + 1);
}

}  // namespace
}  // namespace halocline::numerics
