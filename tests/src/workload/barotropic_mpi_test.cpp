#include <gtest/gtest.h>

#include <map>

#include "halocline/measure/phases.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"
#include "support/loops.hpp"

namespace halocline::workload {
namespace {

using test::fact;
using test::skip_reason;

using Axes = std::map<std::string, std::string>;

constexpr std::uint64_t ocean_cells = 5'165;  // of grid x4

class BarotropicLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(Axes changes) const {
    changes.insert({{"grid", "x4"},
                    {"solver", "pcg"},
                    {"preconditioner", "diagonal"},
                    {"sum", "flat"},
                    {"summation", "plain"},
                    {"distribution", "curve"},
                    {"grid_y", "0"},
                    {"block", "0"},
                    {"iterations", "10"},
                    {"tolerance", "1e-13"},
                    {"near", "messages"},
                    {"solver_ranks", "0"},
                    {"barriers", "solve"},
                    {"protocol", "isend_irecv"}});
    return find("barotropic").prepare(AxisValues(changes), world_);
  }

  std::string reason(const Axes& changes) const {
    return skip_reason([&] { prepare(changes); });
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(BarotropicLoopTest, finds_the_known_solution_in_every_distribution) {
  for (const auto& axes :
       {Axes{{"iterations", "0"}, {"distribution", "cartesian"}, {"sum", "two_level"}},
        Axes{{"iterations", "0"},
             {"distribution", "rake"},
             {"solver", "pipelined"},
             {"preconditioner", "block_ssor"}},
        Axes{{"iterations", "0"},
             {"block", "48"},
             {"summation", "reproducible"},
             {"barriers", "sums"}}}) {
    const auto loop = prepare(axes);
    EXPECT_EQ(loop->verify(1), std::nullopt);
    EXPECT_EQ(loop->verify(2), std::nullopt);
    EXPECT_EQ(fact(*loop, "ocean_cells"), ocean_cells);
    EXPECT_GE(fact(*loop, "work_imbalance"), 1);
    EXPECT_LT(fact(*loop, "work_imbalance"), 2);
    EXPECT_EQ(loop->moved_bytes() == 0, world_.size() == 1);
  }
}

TEST_F(BarotropicLoopTest, is_right_on_every_grid_of_ranks) {
  for (int along_y = 1; along_y <= world_.size(); along_y *= 2) {
    const auto loop = prepare({{"distribution", "cartesian"}, {"grid_y", std::to_string(along_y)}});
    EXPECT_EQ(loop->verify(1), std::nullopt) << along_y;
    EXPECT_EQ(loop->moved_bytes() == 0, world_.size() == 1);
  }
}

TEST_F(BarotropicLoopTest, refuses_grids_that_the_ranks_do_not_fill) {
  for (const char* distribution : {"rake", "curve"}) {
    EXPECT_EQ(reason({{"distribution", distribution}, {"grid_y", "1"}}),
              std::string{"grid_y=1 with distribution="} + distribution +
                  "; allowed: 0; choose grid_y=0, or distribution=cartesian, whose ranks form a "
                  "grid");
  }
  const std::string ranks = std::to_string(world_.size());
  const std::string too_many = std::to_string(world_.size() + 1);
  EXPECT_EQ(reason({{"distribution", "cartesian"}, {"grid_y", too_many}}),
            "grid_y=" + too_many + " of " + ranks + " ranks; allowed: a divisor of " + ranks +
                ", or 0 for the automatic grid; choose one of these");
  const std::string tall =
      reason({{"grid", "x1"}, {"distribution", "cartesian"}, {"grid_y", ranks}, {"block", "192"}});
  EXPECT_EQ(tall.find("over 2 x 2 blocks; allowed: ") != std::string::npos, world_.size() > 2)
      << tall;
}

TEST_F(BarotropicLoopTest, a_few_iterations_of_every_solver_are_right) {
  for (const char* solver : {"pcg", "chronopoulos_gear", "pcsi", "pipelined", "gropp"}) {
    const auto loop = prepare({{"solver", solver}});
    EXPECT_EQ(loop->verify(1), std::nullopt) << solver;
    loop->run(1);
    EXPECT_EQ(loop->verify(2), std::nullopt) << solver;
    EXPECT_EQ(loop->traversals(), 10);
  }
  for (const char* preconditioner : {"block_ssor", "block_evp"}) {
    const auto loop = prepare({{"preconditioner", preconditioner}});
    EXPECT_EQ(loop->verify(1), std::nullopt) << preconditioner;
    EXPECT_GT(loop->phases()->phases().back().operations, 0);
    EXPECT_EQ(loop->phases()->phases().back().name, "preconditioner");
  }
  EXPECT_EQ(prepare({{"near", "shared"}})->verify(1), std::nullopt);
}

TEST_F(BarotropicLoopTest, some_ranks_solve_for_all) {
  for (int ranks = 1; ranks <= world_.size(); ++ranks) {
    const std::string chosen = std::to_string(ranks);
    const auto loop = prepare({{"solver_ranks", chosen},
                               {"near", ranks % 2 == 0 ? "shared" : "messages"},
                               {"preconditioner", "block_evp"}});
    EXPECT_EQ(loop->verify(1), std::nullopt) << chosen;
    loop->run(1);
    EXPECT_EQ(loop->verify(2), std::nullopt) << chosen;
    EXPECT_GE(fact(*loop, "work_imbalance"), static_cast<double>(world_.size()) / ranks - 1e-9);
    const auto phases = loop->phases()->phases();
    EXPECT_EQ(world_.sum(static_cast<std::uint64_t>(phases[0].operations)),
              ocean_cells * 20 * 12 / 10);
    EXPECT_EQ(phases[4].name, "wait");
    EXPECT_EQ(phases[5].name, "remap");
  }
  const std::string too_many = std::to_string(world_.size() + 1);
  EXPECT_NE(reason({{"solver_ranks", too_many}}).find("allowed: up to"), std::string::npos);
}

TEST_F(BarotropicLoopTest, counts_the_beginning_and_the_checks_too) {
  const auto loop = prepare({});
  const auto phases = loop->phases()->phases();
  // Ten iterations, their residual at the beginning and at the end.
  const auto operations = static_cast<std::uint64_t>(phases[0].operations);
  EXPECT_EQ(world_.sum(operations), ocean_cells * 20 * 12 / 10);
  // Three values an iteration, one at either end, of eight bytes each.
  EXPECT_EQ(phases[2].sent_bytes, world_.size() > 1 ? (3U * 10 + 2) * 8 / 10 : 0U);
}

TEST_F(BarotropicLoopTest, solves_until_the_tolerance) {
  const auto loop = prepare({{"grid", "x1"}, {"iterations", "0"}});
  EXPECT_GT(loop->traversals(), 200);
  EXPECT_LT(loop->traversals(), 400);
  EXPECT_EQ(fact(*loop, "solver_iterations"), static_cast<double>(loop->traversals()));
}

TEST_F(BarotropicLoopTest, times_the_system_whose_iterations_it_counts) {
  const auto loop = prepare({{"iterations", "0"}});
  const std::int64_t counted = loop->traversals();
  EXPECT_EQ(loop->verify(2), std::nullopt);  // another system
  loop->run(1);
  EXPECT_EQ(loop->traversals(), counted);
}

TEST_F(BarotropicLoopTest, its_phases_take_its_time) {
  test::expect_phases_take_the_time(*prepare({}));
}

TEST_F(BarotropicLoopTest, says_what_cannot_be_measured) {
  EXPECT_NE(reason({{"near", "shared"}, {"protocol", "sendrecv"}}).find("protocols do not differ"),
            std::string::npos);
  EXPECT_NE(reason({{"block", "24"}, {"summation", "reproducible"}}).find("multiple"),
            std::string::npos);
  EXPECT_EQ(skip_reason([] {
              require_converged({.iterations = 90, .residual = 2e-9, .converged = false});
            }),
            "the solver has not converged after 90 iterations: its residual is 2e-09; choose "
            "another solver or tolerance");
  EXPECT_EQ(reason({{"tolerance", "1e-15"}}),
            "tolerance=1e-15 with iterations=10, after which each solve ends; allowed: 1e-13; "
            "choose tolerance=1e-13, or iterations=0");
  const std::string few = reason({{"block", "3600"}, {"distribution", "curve"}});
  EXPECT_EQ(few.find("choose fewer ranks or smaller blocks") != std::string::npos,
            world_.size() > 1);
}

}  // namespace
}  // namespace halocline::workload
