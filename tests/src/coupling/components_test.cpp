#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "halocline/coupling/fluxes.hpp"
#include "halocline/coupling/land.hpp"
#include "halocline/coupling/sea_ice.hpp"
#include "halocline/coupling/sharing.hpp"
#include "halocline/numerics/sea_water.hpp"
#include "support/loops.hpp"

namespace halocline::coupling {
namespace {

constexpr Seconds hour{3600};

TEST(LandTest, keeps_heat_and_water) {
  Land land({1.0, 1.0});
  land.begin(std::array{10.0, -5.0});
  const double heat = land.heat_j_m2(0);
  const double water = land.water_kg_m2()[0];
  for (int step = 0; step < 100; ++step) {
    land.step(std::array{200.0, -50.0}, std::array{3e-4, -1e-5}, hour);
  }
  EXPECT_NEAR(land.heat_j_m2(0) - heat, 100 * 3600 * 200.0, 1e-6 * heat);
  EXPECT_EQ(land.water_kg_m2()[0], Land::full_kg_m2);
  EXPECT_NEAR(land.water_kg_m2()[0] + land.runoff_kg_m2()[0] - water, 100 * 3600 * 3e-4, 1e-9);
  EXPECT_EQ(land.runoff_kg_m2()[1], 0);
  EXPECT_GT(land.surface_temperatures()[0], 10);
  EXPECT_LT(land.surface_temperatures()[1], -5);
}

TEST(LandTest, continues_from_what_it_has_saved) {
  Land land({1.0});
  land.begin(std::array{10.0});
  land.step(std::array{300.0}, std::array{0.1}, hour);
  Land other({1.0});
  other.load(land.saved());
  for (Land* const each : {&land, &other}) {
    each->step(std::array{-100.0}, std::array{0.0}, hour);
  }
  EXPECT_EQ(land.saved(), other.saved());
}

/// Ice over a warm sea under a cold, then a hot sky; thick, thin and none.
class SeaIceTest : public testing::TestWithParam<double> {};

TEST_P(SeaIceTest, keeps_heat_and_water) {
  SeaIce ice({1.0});
  ice.begin(std::array{GetParam()});
  double entered_j_m2 = 0;
  double entered_kg_m2 = 0;
  const double heat = ice.heat_content_j_m2(0);
  const double mass = ice.mass_kg_m2(0);
  for (int step = 0; step < 400; ++step) {
    const std::array heat_w_m2{step < 200 ? -80.0 * ice.cover(0) : 400.0 * ice.cover(0)};
    const std::array water{-1e-5 * ice.cover(0)};
    const std::array temperature{step < 200 ? numerics::freezing_point : 1.0};
    const std::array frozen{step < 100 ? 60.0 : 0.0};
    // Water that comes as vapour brings no heat but what the coupler says; as ice it lacks that of
    // fusion, as does what has frozen in the sea, which has its heat.
    entered_j_m2 += (heat_w_m2[0] - numerics::heat_of_fusion * water[0] - frozen[0]) * hour.count();
    entered_kg_m2 += (water[0] + frozen[0] / numerics::heat_of_fusion) * hour.count();
    ice.step({.heat_w_m2 = heat_w_m2,
              .water_kg_m2_s = water,
              .sea_temperatures = temperature,
              .frozen_w_m2 = frozen},
             hour);
    EXPECT_LE(ice.surface_temperatures()[0], 0);
    EXPECT_GE(ice.thickness_m()[0], 0);
  }
  const double scale = std::abs(heat) + 1e8;
  EXPECT_NEAR(ice.heat_content_j_m2(0) - heat + ice.heat_j_m2()[0], entered_j_m2, 1e-11 * scale);
  EXPECT_NEAR(ice.mass_kg_m2(0) - mass + ice.water_kg_m2()[0], entered_kg_m2, 1e-8);
  EXPECT_LT(ice.thickness_m()[0], GetParam() + 1);
}

INSTANTIATE_TEST_SUITE_P(Thick_thin_and_none, SeaIceTest, testing::Values(2.0, 0.2, 0.0));

TEST(FluxesTest, warm_dry_air_heats_and_dries_the_sea) {
  Surface sea{.temperature = 10, .wetness = 1, .latent_heat = 2.5e6, .heat_j_m2 = warms_little};
  const Skin air{.temperature = 20, .vapour = 1e-3};
  const SurfaceFlux flux = surface_flux(air, sea, hour);
  EXPECT_GT(flux.sensible_w_m2, 0);
  EXPECT_GT(flux.evaporation_kg_m2_s, 0);
  EXPECT_LT(flux.heat_w_m2, flux.sensible_w_m2);
  sea.wetness = 0;
  EXPECT_EQ(surface_flux(air, sea, hour).evaporation_kg_m2_s, 0);
}

TEST(FluxesTest, saturation_rises_as_its_slope_says) {
  constexpr double apart = 1e-3;
  for (const double temperature : {-60.0, 0.0, 30.0, 70.0, 90.0}) {
    const double risen = saturated(temperature + apart, 9e4) - saturated(temperature - apart, 9e4);
    EXPECT_NEAR(saturation_slope(temperature, 9e4), risen / (2 * apart), 1e-9);
  }
}

/// Columns of soil under the same moist air, coupled so many times a day; they begin a tenth of a
/// kelvin apart.
class WetLandTest : public testing::TestWithParam<int> {
 protected:
  static constexpr Skin air_{.temperature = 32, .vapour = 0.02};

  WetLandTest() { land_.begin(std::array{30.0, 30.1}); }

  /// Returns the heat that the fluxes have brought to the first.
  double couple() {
    const Seconds interval{86'400.0 / GetParam()};
    std::array<double, 2> heat_w_m2{};
    for (std::size_t column = 0; column < heat_w_m2.size(); ++column) {
      const SurfaceFlux flux = surface_flux(air_,
                                            {.temperature = land_.surface_temperatures()[column],
                                             .wetness = 1,
                                             .latent_heat = numerics::heat_of_evaporation,
                                             .heat_j_m2 = Land::surface_j_m2},
                                            interval);
      heat_w_m2[column] = flux.heat_w_m2;
      warmest_ = std::max(warmest_, land_.surface_temperatures()[column]);
    }
    land_.step(heat_w_m2, std::array{0.0, 0.0}, interval);
    return heat_w_m2[0] * interval.count();
  }

  double apart() const {
    return std::abs(land_.surface_temperatures()[1] - land_.surface_temperatures()[0]);
  }

  Land land_{{1.0, 1.0}};
  double warmest_ = 0;
};

TEST_P(WetLandTest, differences_fade) {
  const double heat_j_m2 = land_.heat_j_m2(0);
  double brought_j_m2 = 0;
  for (int coupling = 0; coupling < 40 * GetParam(); ++coupling) {
    const double before = apart();
    brought_j_m2 += couple();
    EXPECT_LE(apart(), before);
  }
  EXPECT_LT(apart(), 1e-2);
  EXPECT_LT(warmest_, 31);
  EXPECT_NEAR(land_.heat_j_m2(0) - heat_j_m2, brought_j_m2, 1e-12 * heat_j_m2);
}

INSTANTIATE_TEST_SUITE_P(Couplings_a_day, WetLandTest, testing::Values(8, 12, 48));

TEST(FluxesTest, air_is_saturated_once_it_has_rained) {
  const double temperature = 12;
  const double vapour = 0.011;
  const double falls = condensed(temperature, vapour, 9e4);
  ASSERT_GT(falls, 0);
  const double warmer = temperature + 2.5e6 / 1004.6 * falls;
  EXPECT_NEAR((vapour - falls) / saturated(warmer, 9e4), 1, 0.01);
  EXPECT_EQ(condensed(temperature, 0.005, 9e4), 0);
}

constexpr std::array<double, component_count> equal_costs{1, 1, 6, 3};

TEST(SharingTest, gives_ranks_to_the_busiest) {
  const Sharing sharing = share(Arrangement::concurrent, 11, {0, 0, 0, 0}, equal_costs);
  EXPECT_EQ(sharing[index_of(Component::land)].count, 1);
  EXPECT_EQ(sharing[index_of(Component::ice)].count, 1);
  EXPECT_EQ(sharing[index_of(Component::atmosphere)].count, 6);
  EXPECT_EQ(sharing[index_of(Component::ocean)].count, 3);
  EXPECT_EQ(sharing[index_of(Component::ocean)].first, 8);
}

TEST(SharingTest, mixes_all_but_the_ocean) {
  const Sharing sharing = share(Arrangement::mixed, 8, {2, 3, 0, 3}, equal_costs);
  EXPECT_EQ(sharing[index_of(Component::atmosphere)].count, 5);
  EXPECT_EQ(sharing[index_of(Component::ocean)].first, 5);
  EXPECT_EQ(sharing[index_of(Component::land)].first, 0);
  EXPECT_EQ(sharing[index_of(Component::ice)].first, 2);
}

TEST(SharingTest, refuses_what_does_not_fit) {
  const auto reason = [](Arrangement arrangement, int ranks,
                         std::array<int, component_count> asked) {
    return test::skip_reason([&] { share(arrangement, ranks, asked, equal_costs); });
  };
  EXPECT_NE(reason(Arrangement::concurrent, 3, {0, 0, 0, 0}), "");
  EXPECT_NE(reason(Arrangement::concurrent, 8, {1, 1, 1, 1}), "");
  EXPECT_NE(reason(Arrangement::mixed, 4, {4, 0, 0, 1}), "");
  EXPECT_EQ(reason(Arrangement::sequential, 4, {1, 2, 3, 5}),
            "ocean on 5 ranks; allowed: up to 4; choose fewer or arrangement=concurrent");
}

}  // namespace
}  // namespace halocline::coupling
