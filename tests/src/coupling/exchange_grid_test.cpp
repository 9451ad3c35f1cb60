#include "halocline/coupling/exchange_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "halocline/coupling/cell_pieces.hpp"
#include "halocline/numerics/column_physics.hpp"
#include "halocline/numerics/earth.hpp"

namespace halocline::coupling {
namespace {

using layout::Index;

class ExchangeGridTest : public testing::TestWithParam<int> {
 protected:
  numerics::SpectralGrid air_ = numerics::SpectralGrid::of(GetParam());
  numerics::DisplacedPoleGrid sea_{80, 96};
  numerics::OceanMask mask_ = numerics::OceanMask::of_earth("x1").coarser(4);
  ExchangeGrid grid_{air_, sea_, mask_};
};

TEST_P(ExchangeGridTest, pieces_of_a_column_add_up_to_it) {
  std::vector<double> sums(grid_.column_areas_m2().size());
  for (const Piece& piece : grid_.pieces()) {
    EXPECT_GT(piece.area_m2, 0);
    sums[static_cast<std::size_t>(piece.column)] += piece.area_m2;
  }
  double sphere_m2 = 0;
  for (std::size_t column = 0; column < sums.size(); ++column) {
    EXPECT_NEAR(sums[column] / grid_.column_areas_m2()[column], 1, 1e-13);
    sphere_m2 += grid_.column_areas_m2()[column];
  }
  const double radius_m = numerics::earth::radius_m;
  EXPECT_NEAR(sphere_m2 / (4 * std::numbers::pi * radius_m * radius_m), 1, 1e-13);
}

TEST_P(ExchangeGridTest, seven_tenths_are_sea_where_the_sea_is) {
  double sea_m2 = 0;
  std::set<Index> cells;
  for (Index number = 0; number < grid_.count(); ++number) {
    const Piece& piece = grid_.pieces()[static_cast<std::size_t>(number)];
    EXPECT_EQ(piece.cell != no_sea, number < grid_.sea_pieces());
    if (piece.cell != no_sea) {
      cells.insert(piece.cell);
      sea_m2 += piece.area_m2;
    }
  }
  const double radius_m = numerics::earth::radius_m;
  EXPECT_NEAR(sea_m2 / (4 * std::numbers::pi * radius_m * radius_m), 0.7, 0.03);
  EXPECT_EQ(cells.size(), grid_.sea_cells().size());
  for (std::size_t number = 0; number < grid_.sea_cells().size(); ++number) {
    const Index at = grid_.sea_cells()[number];
    EXPECT_TRUE(mask_.ocean(at % sea_.columns(), at / sea_.columns()));
    EXPECT_EQ(grid_.sea_numbers()[static_cast<std::size_t>(at)], static_cast<Index>(number));
  }
}

TEST_P(ExchangeGridTest, a_cell_lies_where_its_columns_do) {
  for (Index number = 0; number < grid_.sea_pieces(); ++number) {
    const Piece& piece = grid_.pieces()[static_cast<std::size_t>(number)];
    const Index at = grid_.sea_cells()[static_cast<std::size_t>(piece.cell)];
    const numerics::Position cell = sea_.position(at);
    const numerics::Place column = numerics::place_of(air_, piece.column);
    const double half_column = std::numbers::pi / (2 * air_.latitude_pairs);
    const double half_cell = 6 * std::numbers::pi / 180;  // of the largest
    EXPECT_LT(std::abs(cell.latitude - column.latitude), half_column + half_cell);
  }
}

TEST_P(ExchangeGridTest, every_piece_of_land_has_an_outlet) {
  const Index land = grid_.count() - grid_.sea_pieces();
  ASSERT_EQ(static_cast<Index>(grid_.outlets().size()), land);
  for (const Index outlet : grid_.outlets()) {
    EXPECT_GE(outlet, 0);
    EXPECT_LT(outlet, static_cast<Index>(grid_.sea_cells().size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Coarser_and_finer, ExchangeGridTest, testing::Values(5, 21, 42));

class CellPiecesTest : public testing::Test {
 protected:
  CellPieces columns_of(std::vector<double> areas_m2) const {
    return {pieces_, std::vector<Index>{1, 0}, std::move(areas_m2),
            [](const Piece& piece) { return piece.column; }};
  }

  std::vector<Piece> pieces_{{.column = 0, .cell = 1, .area_m2 = 2},
                             {.column = 1, .cell = 1, .area_m2 = 3},
                             {.column = 1, .cell = no_sea, .area_m2 = 5}};
  std::vector<double> areas_m2_{8, 2};
  std::vector<double> piece_areas_m2_{2, 3, 5};
  std::vector<double> fluxes_{1, 4, -2};
};

TEST_F(CellPiecesTest, what_pieces_have_their_cells_have) {
  const CellPieces cells = columns_of(areas_m2_);
  EXPECT_EQ(cells.numbers(), (std::vector<Index>{0, 1, 2}));
  const std::vector<double> mean = cells.mean(fluxes_);
  EXPECT_EQ(mean, (std::vector<double>{0.25, 1}));
  EXPECT_EQ(integral(areas_m2_, mean), integral(piece_areas_m2_, fluxes_));
  EXPECT_EQ(absolute_integral(areas_m2_, std::vector<double>{-1, 1}), 10);
  std::vector<double> spread(3);
  cells.spread(std::vector<double>{7, 8}, spread);
  EXPECT_EQ(spread, (std::vector<double>{8, 7, 7}));
}

TEST_F(CellPiecesTest, wrong_areas_lose_what_the_cells_own_areas_count) {
  const CellPieces cells = columns_of({16, 4});
  EXPECT_EQ(2 * integral(areas_m2_, cells.mean(fluxes_)), integral(piece_areas_m2_, fluxes_));
}

}  // namespace
}  // namespace halocline::coupling
