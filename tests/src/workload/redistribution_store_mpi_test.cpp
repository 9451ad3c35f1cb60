#include <gtest/gtest.h>

#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/redistribution/layouts.hpp"
#include "support/loops.hpp"

namespace halocline::workload {
namespace {

using test::fact;

class RedistributionStoreTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(const std::string& grid, const std::string& layouts,
                                              int planned_ranks, const std::string& store = "route",
                                              const std::string& way = "chosen") const {
    return find("redistribution_store")
        .prepare(AxisValues({{"grid", grid},
                             {"layouts", layouts},
                             {"planned_ranks", std::to_string(planned_ranks)},
                             {"store", store},
                             {"way", way}}),
                 world_);
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(RedistributionStoreTest, moves_the_bytes_of_table_1) {
  const std::map<int, double> totals{{4, 402'653'184},   {8, 402'653'184},   {16, 469'762'048},
                                     {32, 503'316'480},  {64, 503'316'480},  {128, 520'093'696},
                                     {256, 520'093'696}, {512, 520'093'696}, {1024, 528'482'304},
                                     {2048, 528'482'304}};
  for (const auto& [ranks, total] : totals) {
    EXPECT_EQ(fact(*prepare("512x1024x16", "table1", ranks), "redistributed"), total) << ranks;
  }
}

TEST_F(RedistributionStoreTest, routes_are_whole_for_any_number_of_ranks) {
  for (const char* layouts : {"table1", "transposed", "cyclic"}) {
    for (const int ranks : {0, 1, 2, 3, 6, 7, 60, 4096, 1'048'576}) {
      const auto loop = prepare("512x1024x16", layouts, ranks);
      loop->synchronise();
      loop->time(3);
      EXPECT_EQ(loop->verify(5), std::nullopt) << layouts << " " << ranks;
    }
  }
}

TEST_F(RedistributionStoreTest, keeps_no_more_for_a_million_ranks_than_for_a_thousand) {
  const auto few = prepare("2048x4096x16", "table1", 1024);
  const auto many = prepare("2048x4096x16", "table1", 1'048'576);
  EXPECT_GT(fact(*few, "route memory"), 0);
  EXPECT_EQ(fact(*few, "route memory"), fact(*many, "route memory"));
  EXPECT_EQ(fact(*many, "redistributed"), -1);  // too many routes to sum up
}

TEST_F(RedistributionStoreTest, the_whole_makes_a_redistribution_that_moves_every_point) {
  for (const char* layouts : {"table1", "cyclic"}) {
    for (const char* way : {"chosen", "isend_irecv", "sendrecv"}) {
      const auto loop = prepare("16x32x4", layouts, 0, "whole", way);
      loop->synchronise();
      EXPECT_GT(loop->time(1).count(), 0);
      EXPECT_EQ(loop->verify(5), std::nullopt) << layouts << " " << way;
      EXPECT_EQ(static_cast<int>(loop->timed_ranks().size()), world_.size());
    }
  }
}

TEST_F(RedistributionStoreTest, the_whole_needs_the_ranks) {
  EXPECT_THROW(prepare("16x32x4", "table1", 32, "whole"), Skip);
}

TEST_F(RedistributionStoreTest, a_route_has_no_way) {
  EXPECT_THROW(prepare("16x32x4", "table1", 0, "route", "sendrecv"), Skip);
}

TEST(RedistributionLayoutsTest, are_the_paper_s_and_cover_the_grid) {
  const layout::Box grid = grid_of_text("64x128x16");
  EXPECT_EQ(grid.volume(), 64 * 128 * 16);
  const auto parts = [&grid](const char* name, int ranks) {
    const Layouts layouts = layouts_of(name, grid, ranks);
    return std::array{layouts.source.parts().extent[0], layouts.source.parts().extent[1],
                      layouts.destination.parts().extent[0], layouts.destination.parts().extent[1]};
  };
  EXPECT_EQ(parts("table1", 2), (std::array{2, 1, 1, 2}));
  EXPECT_EQ(parts("table1", 512), (std::array{32, 16, 16, 32}));
  EXPECT_EQ(parts("table1", 8192), (std::array{64, 128, 128, 64}));
  EXPECT_EQ(parts("cyclic", 32), (std::array{4, 8, 16, 2}));
  EXPECT_EQ(parts("transposed", 6), (std::array{6, 1, 1, 6}));
  EXPECT_EQ(layouts_of("cyclic", grid, 32).destination.global(), grid);
}

}  // namespace
}  // namespace halocline::workload
