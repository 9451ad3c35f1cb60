#include "halocline/numerics/sphere_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace halocline::numerics {
namespace {

constexpr double degree = std::numbers::pi / 180;

double at(const std::vector<double>& values, std::int64_t row, std::int64_t column) {
  return values[static_cast<std::size_t>(row * SphereMap::columns + column)];
}

TEST(SphereMapTest, a_cell_is_the_mean_of_the_points_of_all_ranks) {
  const auto world = mpi::Communicator::world();
  SphereMap map;
  map.add(-89 * degree, -179 * degree, world.rank());
  map.add(89 * degree, 179 * degree, 7);
  map.add(1 * degree, 361 * degree, 3);
  const std::vector<double> values = map.values(world);
  if (world.rank() != 0) {
    EXPECT_TRUE(values.empty());
    return;
  }
  EXPECT_DOUBLE_EQ(at(values, 0, 0), (world.size() - 1) / 2.0);
  EXPECT_DOUBLE_EQ(at(values, SphereMap::rows - 1, SphereMap::columns - 1), 7);
  EXPECT_DOUBLE_EQ(at(values, SphereMap::rows / 2, SphereMap::columns / 2), 3);
}

TEST(SphereMapTest, most_points_decide_where_land_is) {
  SphereMap map;
  map.add(1 * degree, 1 * degree, 5);
  map.add_land(1 * degree, 1 * degree);
  map.add_land(3 * degree, 1 * degree);
  map.add_land(3 * degree, 1 * degree);
  map.add(3 * degree, 1 * degree, 5);
  const std::vector<double> values = map.own_values();
  EXPECT_DOUBLE_EQ(at(values, SphereMap::rows / 2, SphereMap::columns / 2), 5);
  EXPECT_TRUE(std::isnan(at(values, SphereMap::rows / 2 + 1, SphereMap::columns / 2)));
}

TEST(SphereMapTest, a_cell_without_points_has_what_the_nearest_in_its_row_has) {
  SphereMap map;
  map.add(1 * degree, -179 * degree, 1);
  map.add(1 * degree, 1 * degree, 2);
  map.add(5 * degree, 1 * degree, 3);
  const std::vector<double> values = map.own_values();
  const std::int64_t row = SphereMap::rows / 2;
  EXPECT_DOUBLE_EQ(at(values, row, 20), 1);
  EXPECT_DOUBLE_EQ(at(values, row, SphereMap::columns - 3), 1);  // around the ring
  EXPECT_DOUBLE_EQ(at(values, row, SphereMap::columns / 2 - 9), 2);
  EXPECT_DOUBLE_EQ(at(values, row + 2, 5), 3);
  EXPECT_DOUBLE_EQ(at(values, SphereMap::rows - 1, 5), 3);  // of the nearest row
}

TEST(SphereMapTest, without_any_point_there_is_only_land) {
  for (const double value : SphereMap().own_values()) {
    EXPECT_TRUE(std::isnan(value));
  }
}

}  // namespace
}  // namespace halocline::numerics
