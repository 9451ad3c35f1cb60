#include "halocline/numerics/ocean_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "halocline/layout/ocean_blocks.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::numerics {
namespace {

using layout::Distribution;
using layout::Index;

/// Who solves for the surface; none: all ranks.
struct Solving {
  int ranks = 0;
  std::string_view protocol = "isend_irecv";
  Distribution distribution = Distribution::space_filling_curve;
  Barriers barriers = Barriers::none;
};

/// An ocean of few levels on the grid x1, in blocks of any size.
class OceanProblem {
 public:
  OceanProblem(Index levels, Index block_columns, Index block_rows, const mpi::Communicator& world,
               const Solving& solving = {})
      : grid_(DisplacedPoleGrid::named("x1")),
        mask_(OceanMask::of_earth("x1")),
        thickness_m_(level_thickness_m(levels)),
        depth_m_(depth_in_levels_m(mask_, grid_, thickness_m_)),
        fields_(blocks(block_columns, block_rows, Distribution::space_filling_curve, world.size()),
                world.rank(), [this](Index i, Index j) { return mask_.ocean(i, j); }) {
    SurfaceMethod surface{.solver = "chronopoulos_gear",
                          .summation = Summation::reproducible,
                          .barriers = solving.barriers};
    if (solving.ranks > 0) {
      surface.blocks = blocks(80, 96, solving.distribution, solving.ranks);
    }
    model_ = std::make_unique<OceanModel>(OceanParts{
        .grid = grid_,
        .depth_m = depth_m_,
        .thickness_m = thickness_m_,
        .fields = fields_,
        .time_step = Seconds{3600},
        .surface = surface,
        .ranks = world,
        .way = {.protocol = &protocol::find(solving.protocol), .near = bundle::Near::messages}});
  }

  OceanModel& model() { return *model_; }

 private:
  layout::Blocks blocks(Index columns, Index rows, Distribution distribution, int ranks) const {
    return layout::ocean_blocks(
        grid_.columns(), grid_.rows(), columns, rows,
        [this](const layout::Box& box) { return mask_.count(box); }, distribution, ranks);
  }

  DisplacedPoleGrid grid_;
  OceanMask mask_;
  std::vector<double> thickness_m_;
  LargeVector<float> depth_m_;
  BlockFields fields_;
  std::unique_ptr<OceanModel> model_;
};

std::uint64_t checksum_of(Index block_columns, Index block_rows, const mpi::Communicator& world,
                          const Solving& solving = {}) {
  OceanProblem problem(4, block_columns, block_rows, world, solving);
  problem.model().begin(3);
  for (int step = 0; step < 3; ++step) {
    problem.model().step({.iterations = 20});
  }
  return problem.model().checksum();
}

TEST(OceanModelTest, has_the_same_bits_in_any_blocks_on_any_number_of_ranks) {
  const auto world = mpi::Communicator::world();
  const std::uint64_t expected = checksum_of(48, 48, world);
  EXPECT_EQ(checksum_of(32, 64, world), expected);
  EXPECT_EQ(checksum_of(80, 16, world), expected);
  const auto alone = world.split(world.rank());
  EXPECT_EQ(checksum_of(320, 384, *alone), expected);
}

TEST(OceanModelTest, has_the_same_bits_whoever_solves) {
  const auto world = mpi::Communicator::world();
  const std::uint64_t expected = checksum_of(48, 48, world);
  int turn = 0;
  for (const char* protocol : {"isend_irecv", "sendrecv", "alltoallv", "put_fence"}) {
    const int ranks = 1 + turn++ % world.size();
    const bool even = ranks % 2 == 0;
    EXPECT_EQ(checksum_of(48, 48, world,
                          {.ranks = ranks,
                           .protocol = protocol,
                           .distribution =
                               even ? Distribution::cartesian : Distribution::space_filling_curve,
                           .barriers = even ? Barriers::solve : Barriers::sums}),
              expected)
        << ranks << " " << protocol;
  }
}

TEST(OceanModelTest, keeps_water_heat_and_salt_for_days) {
  const auto world = mpi::Communicator::world();
  OceanProblem problem(6, 64, 64, world);
  problem.model().begin(1);
  const OceanAccount before = problem.model().account();
  for (int step = 0; step < 72; ++step) {
    problem.model().step({.iterations = 40});
  }
  const OceanAccount after = problem.model().account();
  EXPECT_NEAR(after.volume_m3 / before.volume_m3, 1, 1e-13);
  EXPECT_NEAR(after.heat / before.heat, 1, 1e-12);
  EXPECT_NEAR(after.salt / before.salt, 1, 1e-13);
  EXPECT_GT(after.fastest_m_s, 0.01);
  EXPECT_LT(after.fastest_m_s, 3);
}

TEST(OceanModelTest, sends_all_bytes_of_its_forcing_between_nodes_if_each_rank_has_its_own) {
  const auto world = mpi::Communicator::world();
  OceanProblem problem(4, 48, 48, world);
  std::vector<int> nodes(static_cast<std::size_t>(world.size()));
  std::iota(nodes.begin(), nodes.end(), 0);
  const OceanModel::Work work = problem.model().work();
  EXPECT_EQ(problem.model().warm_off_node_bytes(nodes), work.warm_halo_bytes);
  EXPECT_EQ(problem.model().wind_off_node_bytes(nodes), work.wind_halo_bytes);
  EXPECT_EQ(work.warm_halo_bytes > 0, world.size() > 1);
  std::ranges::fill(nodes, 0);
  EXPECT_EQ(problem.model().warm_off_node_bytes(nodes), 0U);
  EXPECT_EQ(problem.model().wind_off_node_bytes(nodes), 0U);
}

TEST(OceanModelTest, ends_with_velocities_that_move_the_surface_as_solved) {
  const auto world = mpi::Communicator::world();
  OceanProblem problem(5, 48, 48, world);
  problem.model().begin(2);
  const Solved rough = problem.model().step({.iterations = 10});
  EXPECT_NEAR(problem.model().continuity_error() / rough.residual, 1, 1e-9);
  const Solved solved = problem.model().step({.tolerance = 1e-13});
  EXPECT_TRUE(solved.converged);
  EXPECT_LT(problem.model().continuity_error(), 1e-12);
}

TEST(OceanModelTest, levels_reach_the_deepest_sea) {
  for (const Index levels : {1, 3, 40, 200}) {
    const std::vector<double> thickness_m = level_thickness_m(levels);
    double depth_m = 0;
    for (std::size_t k = 0; k < thickness_m.size(); ++k) {
      EXPECT_GT(thickness_m[k], 0);
      EXPECT_EQ(thickness_m[k] * 8, std::round(thickness_m[k] * 8));
      depth_m += thickness_m[k];
    }
    EXPECT_EQ(depth_m, 5500);
  }
}

TEST(OceanModelTest, what_pictures_are_made_of_is_finite_and_of_every_cell) {
  const auto world = mpi::Communicator::world();
  OceanProblem problem(3, 80, 64, world);
  OceanModel& model = problem.model();
  model.begin(2);
  model.step({.iterations = 20});
  const std::size_t cells = model.surface_cells().size();
  EXPECT_EQ(model.surface_heights_m().size(), cells);
  const std::vector<double> flows_m3_s = model.eastward_m3_s();
  EXPECT_EQ(flows_m3_s.size(), cells);
  EXPECT_TRUE(std::ranges::all_of(flows_m3_s, [](double flow) { return std::isfinite(flow); }));
  EXPECT_TRUE(std::ranges::any_of(flows_m3_s, [](double flow) { return flow != 0; }));
}

}  // namespace
}  // namespace halocline::numerics
