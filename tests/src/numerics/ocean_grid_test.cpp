#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/ocean_depth.hpp"
#include "halocline/numerics/ocean_mask.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double degree = std::numbers::pi / 180;

double distance_m(const Position& one, const Position& other) {
  const auto haversine = [](double angle) { return std::pow(std::sin(angle / 2), 2); };
  return 2 * earth::radius_m *
         std::asin(std::sqrt(haversine(one.latitude - other.latitude) +
                             std::cos(one.latitude) * std::cos(other.latitude) *
                                 haversine(one.longitude - other.longitude)));
}

/// The nearest cell's, found by looking at all.
bool ocean_at(const OceanMask& mask, const DisplacedPoleGrid& grid, double latitude_deg,
              double longitude_deg) {
  const Position wanted{.latitude = latitude_deg * degree, .longitude = longitude_deg * degree};
  double nearest_m = 1e9;
  bool ocean = false;
  for (Index j = 0; j < grid.rows(); ++j) {
    for (Index i = 0; i < grid.columns(); ++i) {
      const double here_m =
          distance_m(wanted, grid.position(static_cast<double>(i), static_cast<double>(j)));
      if (here_m < nearest_m) {
        nearest_m = here_m;
        ocean = mask.ocean(i, j);
      }
    }
  }
  return ocean;
}

TEST(DisplacedPoleGridTest, spacings_are_the_distances_between_neighbours) {
  const auto grid = DisplacedPoleGrid::named("tenth");
  for (const double row : {0.0, 500.0, 1200.5, 2000.0, 2395.0}) {
    for (const double column : {0.0, 17.5, 1800.0, 3599.0}) {
      const Spacing spacing = grid.spacing(column, row);
      const double along_x_m =
          distance_m(grid.position(column - 0.5, row), grid.position(column + 0.5, row));
      const double along_y_m =
          distance_m(grid.position(column, row - 0.5), grid.position(column, row + 0.5));
      EXPECT_NEAR(spacing.x_m, along_x_m, 1e-4 * along_x_m) << column << " " << row;
      EXPECT_NEAR(spacing.y_m, along_y_m, 1e-4 * along_y_m) << column << " " << row;
    }
  }
}

TEST(DisplacedPoleGridTest, its_pole_lies_in_greenland_and_its_rows_are_rings) {
  const auto grid = DisplacedPoleGrid::named("x1");
  const double northern = (89 + 79) / (168.0 / 384) - 0.5;
  const Position near_pole = grid.position(3, northern + 1 / (168.0 / 384));
  EXPECT_NEAR(near_pole.latitude, 75 * degree, 1e-6);
  EXPECT_NEAR(near_pole.longitude, -40 * degree, 1e-6);
  EXPECT_LT(distance_m(grid.position(0, 100), grid.position(320, 100)), 1e-3);
  EXPECT_THROW(DisplacedPoleGrid::named("x2"), Error);
}

TEST(OceanMaskTest, has_the_coasts_of_the_earth) {
  for (const auto* name : {"x1", "tenth"}) {
    const OceanMask mask = OceanMask::of_earth(name);
    const auto cells = static_cast<double>(mask.columns() * mask.rows());
    const layout::Box all{.lower = {0, 0, 0, 0}, .upper = {mask.columns(), mask.rows(), 1, 1}};
    EXPECT_NEAR(static_cast<double>(mask.count(all)) / cells, 0.68, 0.01);
    for (Index i = 0; i < mask.columns(); ++i) {
      EXPECT_FALSE(mask.ocean(i, mask.rows() - 1));  // around the pole is Greenland
      EXPECT_EQ(mask.ocean(i, 100), mask.ocean(i - mask.columns(), 100));
    }
    EXPECT_FALSE(mask.ocean(0, -1));
  }
  const OceanMask mask = OceanMask::of_earth("x1");
  const auto grid = DisplacedPoleGrid::named("x1");
  EXPECT_TRUE(ocean_at(mask, grid, 0, -150));    // the Pacific
  EXPECT_TRUE(ocean_at(mask, grid, 85, 150));    // the Arctic Ocean
  EXPECT_FALSE(ocean_at(mask, grid, 42, 51));    // the Caspian Sea
  EXPECT_FALSE(ocean_at(mask, grid, 47, -87));   // Lake Superior
  EXPECT_FALSE(ocean_at(mask, grid, -25, 135));  // Australia
  EXPECT_FALSE(ocean_at(mask, grid, 75, -40));   // Greenland
}

TEST(OceanMaskTest, is_coarser_where_cells_are_longer) {
  const OceanMask fine = OceanMask::of_earth("x1");
  for (const Index factor : {4, 8}) {
    const std::string name = "x" + std::to_string(factor);
    const OceanMask mask = OceanMask::of_earth(name);
    const auto grid = DisplacedPoleGrid::named(name);
    EXPECT_EQ(mask.columns(), grid.columns());
    EXPECT_EQ(mask.rows(), grid.rows());
    EXPECT_EQ(mask.columns() * factor, fine.columns());
    EXPECT_EQ(mask.rows() * factor, fine.rows());
    EXPECT_FALSE(ocean_at(mask, grid, -25, 135));  // Australia
    EXPECT_TRUE(ocean_at(mask, grid, 0, -150));    // the Pacific
  }
}

TEST(OceanMaskTest, says_what_is_no_ocean) {
  EXPECT_THROW(OceanMask(2, 2, {0, 0, 0, 0}), Error);
  EXPECT_THROW(OceanMask(2, 2, {1, 1, 1}), Error);
  EXPECT_THROW(OceanMask::of_earth("moon"), Error);
}

TEST(OceanDepthTest, grows_from_the_shelf_to_the_deep_sea) {
  const OceanMask mask = OceanMask::of_earth("x1");
  const auto grid = DisplacedPoleGrid::named("x1");
  const auto depth_m = ocean_depth_m(mask, grid);
  float deepest_m = 0;
  for (Index j = 0; j < mask.rows(); ++j) {
    for (Index i = 0; i < mask.columns(); ++i) {
      const float here_m = depth_m[static_cast<std::size_t>(j * mask.columns() + i)];
      EXPECT_EQ(here_m > 0, mask.ocean(i, j));
      deepest_m = std::max(deepest_m, here_m);
      if (mask.ocean(i, j) && !mask.ocean(i - 1, j)) {  // one step from the coast
        const double step_m = grid.spacing(static_cast<double>(i), static_cast<double>(j)).x_m;
        EXPECT_LE(here_m, 60 + 5440 * (1 - std::exp(-1.05 * step_m / 350e3)));
        EXPECT_GE(here_m, 60);
      }
    }
  }
  EXPECT_GT(deepest_m, 5400);
  EXPECT_THROW(ocean_depth_m(mask, DisplacedPoleGrid(10, 10)), Error);
}

/// A lone coast along a meridian: the distance is known.
TEST(OceanDepthTest, follows_its_formula) {
  std::vector<std::uint8_t> ocean(320 * 384, 1);
  for (std::size_t j = 0; j < 384; ++j) {
    ocean[j * 320] = 0;
  }
  const DisplacedPoleGrid grid(320, 384);
  const auto depth_m = ocean_depth_m(OceanMask(320, 384, std::move(ocean)), grid);
  double distance = 0;
  for (Index i = 1; i < 20; ++i) {
    distance += grid.spacing(static_cast<double>(i) - 0.5, 180).x_m;
    const double expected_m = 60 + 5440 * (1 - std::exp(-distance / 350e3));
    EXPECT_NEAR(depth_m[static_cast<std::size_t>(180 * 320 + i)], expected_m, 0.02 * expected_m);
  }
}

}  // namespace
}  // namespace halocline::numerics
