#include "halocline/numerics/column_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "halocline/layout/decomposition.hpp"
#include "halocline/numerics/column_physics.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr std::array every_balance{Balance::none, Balance::within_process, Balance::twin,
                                   Balance::wrapped, Balance::sorted};

/// Blocks of longitudes and latitudes, as many along each as makes them squarest.
std::vector<Index> block_of_columns(const ColumnGrid& grid, int rank, int ranks) {
  const layout::Decomposition blocks{
      .global = layout::Box::line(grid.longitudes).with(1, 0, grid.latitudes),
      .grid = layout::near_square(ranks)};
  const layout::Box own = blocks.owned(rank);
  std::vector<Index> columns;
  for (Index latitude = own.lower[1]; latitude < own.upper[1]; ++latitude) {
    for (Index longitude = own.lower[0]; longitude < own.upper[0]; ++longitude) {
      columns.push_back(grid.column(static_cast<int>(longitude), static_cast<int>(latitude)));
    }
  }
  return columns;
}

/// The most expensive rank's share over the mean.
double imbalance(Balance balance, const SpectralGrid& grid, std::span<const double> costs,
                 int ranks) {
  double most = 0;
  double all = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto home = block_of_columns(columns_of(grid), rank, ranks);
    const double cost =
        cost_of(share_of(balance, columns_of(grid), costs, home, rank, ranks), costs);
    most = std::max(most, cost);
    all += cost;
  }
  return most * ranks / all;
}

TEST(ColumnSharesTest, deal_every_column_once) {
  const SpectralGrid grid = SpectralGrid::of(10);
  const auto costs = ColumnPhysics::costs(air_grid_of(grid), 3, {.hour = 7});
  for (const Balance balance : every_balance) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
      std::set<Index> dealt;
      std::size_t count = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto home = block_of_columns(columns_of(grid), rank, ranks);
        const auto own = share_of(balance, columns_of(grid), costs, home, rank, ranks);
        dealt.insert(own.begin(), own.end());
        count += own.size();
      }
      EXPECT_EQ(count, static_cast<std::size_t>(columns_of(grid).count()));
      EXPECT_EQ(dealt.size(), count);
      EXPECT_EQ(*dealt.rbegin(), columns_of(grid).count() - 1);
    }
  }
}

TEST(ColumnSharesTest, keep_twins_together) {
  const SpectralGrid grid = SpectralGrid::of(10);
  const auto costs = ColumnPhysics::costs(air_grid_of(grid), 3, {.hour = 7});
  for (const Balance balance : {Balance::twin, Balance::wrapped}) {
    const auto own = share_of(balance, columns_of(grid), costs, {}, 2, 5);
    for (const Index column : own) {
      EXPECT_TRUE(std::ranges::binary_search(own, columns_of(grid).antipode(column)));
    }
  }
}

TEST(ColumnSharesTest, balance_512_ranks_at_the_solstice) {
  const SpectralGrid grid = SpectralGrid::of(85);
  for (const double hour : {0.0, 12.0}) {
    const auto costs = ColumnPhysics::costs(air_grid_of(grid), 26, {.hour = hour});
    EXPECT_GE(imbalance(Balance::none, grid, costs, 512), 1.48);
    EXPECT_GE(imbalance(Balance::within_process, grid, costs, 512), 1.48);
    EXPECT_LE(imbalance(Balance::twin, grid, costs, 512), 1.02);
    EXPECT_LE(imbalance(Balance::wrapped, grid, costs, 512), 1.02);
  }
  const auto at_noon = ColumnPhysics::costs(air_grid_of(grid), 26, {.hour = 12});
  EXPECT_LE(imbalance(Balance::sorted, grid, at_noon, 512), 1.02);
}

TEST(ColumnSharesTest, mix_light_and_dark_within_a_process) {
  const SpectralGrid grid = SpectralGrid::of(21);
  const auto costs = ColumnPhysics::costs(air_grid_of(grid), 26, {.hour = 12});
  std::vector<Index> home(static_cast<std::size_t>(columns_of(grid).count()));
  std::iota(home.begin(), home.end(), Index{0});
  const auto own = share_of(Balance::within_process, columns_of(grid), costs, home, 0, 1);
  const double half = cost_of(std::span(own).first(own.size() / 2), costs);
  const double half_of_rows = cost_of(std::span(home).first(home.size() / 2), costs);
  const double all = cost_of(own, costs);
  EXPECT_NEAR(half / all, 0.5, 0.01);
  EXPECT_GT(half_of_rows / all, 0.55);  // northern summer
}

}  // namespace
}  // namespace halocline::numerics
