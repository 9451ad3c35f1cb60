#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "halocline/measure/phases.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/proxy/ocean_setup.hpp"
#include "support/loops.hpp"

namespace halocline::workload {
namespace {

using test::fact;
using test::skip_reason;

using Axes = std::map<std::string, std::string>;

class OceanLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(Axes changes) const {
    changes.insert({{"grid", "x4"},
                    {"levels", "3"},
                    {"solver", "chronopoulos_gear"},
                    {"preconditioner", "diagonal"},
                    {"sum", "flat"},
                    {"summation", "plain"},
                    {"distribution", "curve"},
                    {"grid_y", "0"},
                    {"block", "0"},
                    {"iterations", "3"},
                    {"tolerance", "1e-13"},
                    {"near", "messages"},
                    {"solver_ranks", "0"},
                    {"barriers", "solve"},
                    {"protocol", "isend_irecv"}});
    return find("ocean").prepare(AxisValues(changes), world_);
  }

  std::string reason(const Axes& changes) const {
    return skip_reason([&] { prepare(changes); });
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(OceanLoopTest, keeps_what_it_must_in_every_distribution) {
  for (const auto& axes :
       {Axes{{"distribution", "cartesian"}, {"near", "shared"}},
        Axes{{"distribution", "rake"}, {"solver", "gropp"}, {"preconditioner", "block_evp"}},
        Axes{{"block", "32"}, {"sum", "two_level"}, {"barriers", "sums"}},
        Axes{{"solver_ranks", "1"}, {"protocol", "alltoallv"}}}) {
    const auto loop = prepare(axes);
    EXPECT_EQ(loop->verify(1), std::nullopt);
    loop->run(1);
    EXPECT_EQ(loop->verify(2), std::nullopt);
    EXPECT_EQ(loop->moved_bytes() == 0, world_.size() == 1);
    EXPECT_EQ(fact(*loop, "checksum"), -1);
  }
}

TEST_F(OceanLoopTest, has_the_same_bits_on_every_grid_of_ranks) {
  const double by_curve = fact(*prepare({{"summation", "reproducible"}}), "checksum");
  EXPECT_GT(by_curve, 0);
  std::set<std::size_t> moved_bytes;
  for (int along_y = 1; along_y <= world_.size(); along_y *= 2) {
    const auto loop = prepare({{"summation", "reproducible"},
                               {"distribution", "cartesian"},
                               {"grid_y", std::to_string(along_y)}});
    EXPECT_EQ(fact(*loop, "checksum"), by_curve) << along_y;
    EXPECT_TRUE(moved_bytes.insert(loop->moved_bytes()).second) << along_y;  // other edges
    EXPECT_EQ(loop->verify(1), std::nullopt) << along_y;
  }
}

OceanShape cartesian_shape(numerics::Summation summation) {
  return {.grid = "x1",
          .distribution = layout::Distribution::cartesian,
          .block = 0,
          .surface = {.solver = "pcg", .summation = summation},
          .stop = {},
          .way = {}};
}

TEST(OceanSetupTest, every_grid_of_many_ranks_has_blocks_for_all) {
  const auto grid = numerics::DisplacedPoleGrid::named("x1");
  const auto mask = numerics::OceanMask::of_earth("x1");
  for (const auto summation : {numerics::Summation::plain, numerics::Summation::reproducible}) {
    for (const int ranks : {8, 12, 16}) {
      for (int along_y = 1; along_y <= ranks; ++along_y) {
        if (ranks % along_y != 0) {
          continue;
        }
        OceanShape shape = cartesian_shape(summation);
        shape.ranks_along_y = along_y;
        const layout::Blocks blocks = ocean_blocks_of(shape, grid, mask, ranks, grid.rows());
        EXPECT_GE(blocks.parts().extent[1], along_y) << ranks;
        if (summation == numerics::Summation::reproducible) {
          EXPECT_EQ(blocks.local(0).extent(1) % numerics::strip_rows, 0) << ranks << ' ' << along_y;
        }
      }
    }
  }
}

TEST(OceanSetupTest, numbers_of_ranks_that_leave_over_some_cells_have_blocks_for_all) {
  const auto grid = numerics::DisplacedPoleGrid::named("x1");
  const auto mask = numerics::OceanMask::of_earth("x1");
  for (const int ranks : {29, 31, 37, 58, 62}) {
    const auto shape = cartesian_shape(numerics::Summation::plain);
    EXPECT_GE(ocean_blocks_of(shape, grid, mask, ranks).places(), ranks);
  }
}

TEST(OceanSetupTest, more_ranks_than_cells_get_the_smallest_blocks) {
  const auto grid = numerics::DisplacedPoleGrid::named("x1");
  const auto mask = numerics::OceanMask::of_earth("x1");
  auto shape = cartesian_shape(numerics::Summation::plain);
  shape.distribution = layout::Distribution::space_filling_curve;
  const std::string words = skip_reason([&] { ocean_blocks_of(shape, grid, mask, 20'000); });
  EXPECT_EQ(words.find("20000 ranks for "), 0U) << words;
  EXPECT_NE(words.find("of 16 x 16 cells"), std::string::npos) << words;
}

TEST(OceanSetupTest, sums_are_reproducible_where_the_blocks_that_solve_allow_it) {
  const auto grid = numerics::DisplacedPoleGrid::named("x1");
  const auto mask = numerics::OceanMask::of_earth("x1");
  const auto shape = cartesian_shape(numerics::Summation::reproducible);
  const layout::Blocks uneven = ocean_blocks_of(shape, grid, mask, 29);
  const layout::Blocks even = ocean_blocks_of(shape, grid, mask, 1);
  const auto reason = [&](const std::optional<layout::Blocks>& of_some, const layout::Blocks& all) {
    numerics::SurfaceMethod method = shape.surface;
    method.blocks = of_some;
    return skip_reason([&] { require_reproducible(shape, method, all); });
  };
  EXPECT_EQ(reason(std::nullopt, even), "");
  EXPECT_EQ(reason(even, uneven), "");
  EXPECT_NE(reason(std::nullopt, uneven).find("choose other ranks, or distribution=curve"),
            std::string::npos);
  EXPECT_NE(reason(uneven, even).find("choose other solver_ranks, or distribution=curve"),
            std::string::npos);
}

TEST_F(OceanLoopTest, the_ranks_that_solve_have_a_grid_of_their_own) {
  // As many along y as there are ranks: one rank that solves could not have that many.
  const auto loop = prepare({{"distribution", "cartesian"},
                             {"grid_y", std::to_string(world_.size())},
                             {"solver_ranks", "1"}});
  EXPECT_EQ(loop->verify(1), std::nullopt);
}

TEST_F(OceanLoopTest, says_who_solves_and_who_waits) {
  const std::string half = std::to_string((world_.size() + 1) / 2);
  const auto loop = prepare({{"solver_ranks", half}, {"barriers", "none"}});
  std::map<std::string, measure::Phase> phases;
  for (const measure::Phase& phase : loop->phases()->phases()) {
    phases[phase.name] = phase;
  }
  ASSERT_TRUE(phases.contains("barotropic_wait"));
  ASSERT_TRUE(phases.contains("barotropic_remap"));
  EXPECT_EQ(phases["barotropic_remap"].sent_bytes > 0, world_.size() > 1);
  const bool solves = phases["barotropic_operator"].operations > 0;
  EXPECT_EQ(world_.sum(solves ? 1 : 0), static_cast<std::uint64_t>((world_.size() + 1) / 2));
  EXPECT_TRUE(solves || world_.rank() > 0);
  EXPECT_EQ(prepare({{"barriers", "none"}})->phases()->phases().size() + 2, phases.size());
  const std::string too_many = std::to_string(world_.size() + 1);
  EXPECT_NE(reason({{"solver_ranks", too_many}}).find("allowed: up to"), std::string::npos);
}

TEST_F(OceanLoopTest, takes_as_many_iterations_as_the_tolerance) {
  const auto loop = prepare({{"grid", "x1"}, {"iterations", "0"}, {"summation", "reproducible"}});
  EXPECT_GT(fact(*loop, "solver_iterations"), 100);
  EXPECT_LT(fact(*loop, "solver_iterations"), 400);
  EXPECT_EQ(fact(*loop, "steps_per_day"), 24);
  EXPECT_GT(fact(*loop, "checksum"), 0);
}

TEST_F(OceanLoopTest, its_phases_take_its_time) { test::expect_phases_take_the_time(*prepare({})); }

TEST_F(OceanLoopTest, says_what_cannot_be_measured) {
  try {
    require_grid_memory(numerics::DisplacedPoleGrid::named("tenth"), 1e15, 75, world_);
    FAIL();
  } catch (const Skip& skip) {
    const std::string report = skip.what();
    EXPECT_NE(report.find("a grid of 3600 x 2400 cells takes"), std::string::npos) << report;
    EXPECT_NE(report.find("% of its memory; allowed: up to 75 %"), std::string::npos) << report;
  }
  EXPECT_NE(reason({{"block", "24"}, {"summation", "reproducible"}}).find("multiple"),
            std::string::npos);
}

}  // namespace
}  // namespace halocline::workload
