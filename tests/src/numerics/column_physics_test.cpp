#include "halocline/numerics/column_physics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr int levels = 6;
constexpr Seconds step_of_physics{600};

/// Columns of a grid with winds, heat and tracers that vary from place to place.
struct Columns {
  std::vector<Index> numbers;
  std::vector<double> cosines;
  std::vector<double> values;

  Columns(const SpectralGrid& grid, std::vector<Index> of, const Sun& sun)
      : numbers(std::move(of)), values(air::count * (levels + 1) * numbers.size()) {
    const AirLevels heights(levels);
    for (std::size_t column = 0; column < numbers.size(); ++column) {
      const Place place = place_of(grid, numbers[column]);
      cosines.push_back(sun.cosine(place));
      for (std::size_t level = 0; level <= levels; ++level) {
        const auto at = [&](std::size_t field) -> double& {
          return fields().at(field, level, column);
        };
        const double wave = std::sin(3 * place.longitude + static_cast<double>(level));
        at(air::eastward) = 20 * std::cos(place.latitude) + 3 * wave;
        at(air::northward) = 5 * wave;
        at(air::temperature) = heights.temperature(level) + 4 * wave;
        at(air::tracers) = 0.01 * std::exp(-heights.height_m(level) / 2000) * (1 + 0.5 * wave);
        at(air::tracers + 1) = 1e-7 * (1 + 0.9 * wave);
        at(air::tracers + 2) = 1e-8 * (1 - 0.9 * wave);
        at(air::vorticity) = 1e-5 * wave;
        at(air::geopotential) = level == levels ? 1e5 + 2000 * wave : 100 * wave;
      }
    }
  }

  ColumnFields fields() {
    return {.first = values.data(), .levels = levels + 1, .columns = numbers.size()};
  }
};

std::vector<Index> all_of(const SpectralGrid& grid) {
  std::vector<Index> all(static_cast<std::size_t>(columns_of(grid).count()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

class ColumnPhysicsTest : public testing::Test {
 protected:
  SpectralGrid grid_ = SpectralGrid::of(10);
  AirLevels heights_{levels};
  ColumnPhysics physics_{heights_, step_of_physics};
};

TEST_F(ColumnPhysicsTest, has_the_same_bits_under_every_balance_on_1_to_16_ranks) {
  const Sun sun{.hour = 7};
  const auto costs = ColumnPhysics::costs(air_grid_of(grid_), levels, sun);
  Columns whole(grid_, all_of(grid_), sun);
  const std::vector<double> untouched = whole.values;
  physics_.step(whole.fields(), whole.cosines);
  ASSERT_NE(whole.values, untouched);
  for (const Balance balance :
       {Balance::none, Balance::within_process, Balance::twin, Balance::wrapped, Balance::sorted}) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<Index> home;
        for (Index column = rank; column < columns_of(grid_).count(); column += ranks) {
          home.push_back(column);
        }
        Columns own(grid_, share_of(balance, columns_of(grid_), costs, home, rank, ranks), sun);
        physics_.step(own.fields(), own.cosines);
        for (std::size_t column = 0; column < own.numbers.size(); ++column) {
          for (std::size_t place = 0; place < air::returned * (levels + 1); ++place) {
            ASSERT_EQ(own.values[place * own.numbers.size() + column],
                      whole.values[place * whole.numbers.size() +
                                   static_cast<std::size_t>(own.numbers[column])]);
          }
        }
      }
    }
  }
}

TEST_F(ColumnPhysicsTest, keeps_tracers_and_hands_momentum_to_the_ground) {
  Columns columns(grid_, all_of(grid_), {.hour = 12});
  const std::vector<double> first = columns.values;
  physics_.step(columns.fields(), columns.cosines);
  Columns before = columns;
  before.values = first;
  int changed = 0;
  for (std::size_t column = 0; column < columns.numbers.size(); ++column) {
    const double pressure = before.fields().at(air::geopotential, levels, column);
    for (std::size_t tracer = 0; tracer < air::tracer_count; ++tracer) {
      double there = 0;
      double now = 0;
      for (std::size_t level = 0; level <= levels; ++level) {
        const double mass = heights_.mass(level, pressure);
        const double one = before.fields().at(air::tracers + tracer, level, column);
        const double other = columns.fields().at(air::tracers + tracer, level, column);
        there += mass * one;
        now += mass * other;
        changed += std::abs(other / one - 1) > 1e-6 ? 1 : 0;
      }
      EXPECT_NEAR(now / there, 1, 1e-13);
    }
    for (const std::size_t wind : {air::eastward, air::northward}) {
      double gained = 0;
      for (std::size_t level = 0; level < levels; ++level) {
        gained += heights_.mass(level, pressure) * columns.fields().at(wind, level, column);
      }
      const double stress = columns.fields().at(wind, levels, column);
      EXPECT_NEAR(gained, -stress, 1e-12 * (1 + std::abs(stress)));
    }
  }
  EXPECT_GT(changed, 1000);
}

TEST_F(ColumnPhysicsTest, heats_by_no_more_than_arrives_and_only_where_the_sun_is_up) {
  const Sun sun{.hour = 12};
  Columns lit(grid_, all_of(grid_), sun);
  Columns dark = lit;
  dark.cosines.assign(dark.cosines.size(), -1.0);
  physics_.step(lit.fields(), lit.cosines);
  physics_.step(dark.fields(), dark.cosines);
  constexpr double heat_capacity = 1004.6;
  constexpr double solar_w_m2 = 1361;
  for (std::size_t column = 0; column < lit.numbers.size(); ++column) {
    const double pressure = lit.fields().at(air::geopotential, levels, column);
    double heat_w_m2 = 0;
    for (std::size_t level = 0; level <= levels; ++level) {
      heat_w_m2 += heights_.mass(level, pressure) * heat_capacity / step_of_physics.count() *
                   (lit.fields().at(air::temperature, level, column) -
                    dark.fields().at(air::temperature, level, column));
    }
    if (lit.cosines[column] <= 0) {
      EXPECT_EQ(heat_w_m2, 0);
    } else {
      const double share = heat_w_m2 / (solar_w_m2 * lit.cosines[column]);
      EXPECT_GT(share, 0.3);
      EXPECT_LT(share, 1);
    }
  }
}

TEST(TwoStreamTest, absorbs_as_beer_and_lambert_say_and_loses_nothing_that_scatters) {
  LayerOptics layer{};
  Lanes cosine{};
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    layer.depth[lane] = 0.1 * static_cast<double>(lane + 1);
    cosine[lane] = 0.12 * static_cast<double>(lane + 1);
  }
  const LayerLight absorbed = light_in(layer, cosine);
  layer.scattered.fill(1 - 1e-12);
  layer.asymmetry.fill(0.7);
  const LayerLight scattered = light_in(layer, cosine);
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    const double passes = std::exp(-layer.depth[lane] / cosine[lane]);
    EXPECT_NEAR(absorbed.transmitted[lane], passes, 1e-15);
    EXPECT_EQ(absorbed.reflected[lane], 0);
    EXPECT_NEAR(scattered.transmitted[lane] + scattered.reflected[lane], 1, 1e-5);
    EXPECT_NEAR(scattered.diffuse_transmitted[lane] + scattered.diffuse_reflected[lane], 1, 1e-5);
    EXPECT_GT(scattered.reflected[lane], 0.01);
    EXPECT_GT(scattered.direct[lane], passes);  // narrow scattering counts as none
  }
}

}  // namespace
}  // namespace halocline::numerics
