#include "halocline/numerics/sphere_sharing.hpp"

#include <gtest/gtest.h>

#include <string>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

const SpectralGrid t5 = SpectralGrid::of(5);  // 16 longitudes, 4 pairs of latitudes

std::string refused(const SphereWay& way, int groups = 4) {
  try {
    const SphereSharing sharing(t5, groups, way);
  } catch (const Skip& reason) {
    return reason.what();
  }
  return "";
}

TEST(SphereSharingTest, more_ranks_than_rows_columns_levels_or_orders_are_refused) {
  EXPECT_EQ(refused({.along_latitude = 4, .legendre = LegendreWay::ring}), "");
  EXPECT_EQ(refused({.along_latitude = 5, .legendre = LegendreWay::ring}),
            "5 ranks along latitude; allowed: up to 4, the number of pairs of latitudes; choose "
            "another grid of ranks");
  EXPECT_EQ(refused({.along_longitude = 17}, 17),
            "17 ranks along longitude; allowed: up to 16, the number of longitudes; choose another "
            "grid of ranks");
  EXPECT_EQ(refused({.along_longitude = 3}, 2),
            "3 ranks along longitude; allowed: up to 2, the number of groups of levels (a vector "
            "each); choose another grid of ranks");
  EXPECT_EQ(
      refused({.along_longitude = 4, .along_latitude = 2, .fourier = FourierWay::distributed}),
      "2 ranks along latitude; allowed: up to 1, the number of orders; choose another grid "
      "of ranks");
}

TEST(SphereSharingTest, numbers_of_ranks_that_do_not_suit_an_algorithm_are_refused) {
  EXPECT_NE(refused({.along_latitude = 3, .legendre = LegendreWay::halving}).find("powers of two"),
            std::string::npos);
  EXPECT_NE(refused({.along_longitude = 3, .fourier = FourierWay::distributed})
                .find("powers of two that divide them"),
            std::string::npos);
}

TEST(SphereSharingTest, sums_in_an_order_of_the_ranks_are_not_reproducible) {
  for (const LegendreWay legendre : {LegendreWay::ring, LegendreWay::allreduce}) {
    EXPECT_NE(refused({.along_latitude = 2, .legendre = legendre, .reproducible = true})
                  .find("depends on the number of ranks"),
              std::string::npos);
  }
  EXPECT_NE(
      refused({.along_longitude = 2, .fourier = FourierWay::distributed, .reproducible = true})
          .find("rounds differently on each number of ranks"),
      std::string::npos);
}

}  // namespace
}  // namespace halocline::numerics
