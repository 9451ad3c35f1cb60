#include "halocline/measure/clock_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace halocline::measure {
namespace {

/// A clock that is ahead of another and gains on it, asked over messages of known delays.
struct Asked {
  Seconds ahead;
  double drift;

  Seconds shows(Seconds when) const { return when + ahead + drift * when; }

  Glimpse glimpse(Seconds sent, Seconds there, Seconds back) const {
    return {.sent = sent, .shown = shows(sent + there), .returned = sent + there + back};
  }
};

TEST(ClockModelTest, is_one_clock_until_something_was_seen) {
  EXPECT_EQ(ClockModel().line().there(Seconds{5}), Seconds{5});
}

TEST(ClockModelTest, the_sharpest_glimpse_has_the_shortest_round_trip) {
  const Asked other{.ahead = Seconds{100}, .drift = 0};
  const std::array<Glimpse, 3> glimpses{
      other.glimpse(Seconds{1}, Seconds{3e-6}, Seconds{1e-6}),
      other.glimpse(Seconds{2}, Seconds{1e-6}, Seconds{1e-6}),
      other.glimpse(Seconds{3}, Seconds{1e-6}, Seconds{9e-6}),
  };
  EXPECT_EQ(&sharpest(glimpses), &glimpses[1]);
}

TEST(ClockModelTest, equal_delays_show_the_offset_exactly) {
  const Asked other{.ahead = Seconds{-1234.5}, .drift = 0};
  ClockModel model;
  model.learn(std::array{other.glimpse(Seconds{10}, Seconds{4e-6}, Seconds{4e-6})});
  EXPECT_NEAR(model.line().there(Seconds{11}).count(), other.shows(Seconds{11}).count(), 1e-12);
}

TEST(ClockModelTest, one_clock_is_known_from_messages_that_arrive_after_they_were_sent) {
  const Asked same{.ahead = Seconds{0}, .drift = 0};
  const Asked other{.ahead = Seconds{2e-6}, .drift = 0};
  const Glimpse slow = other.glimpse(Seconds{1}, Seconds{9e-6}, Seconds{9e-6});
  EXPECT_TRUE(may_be_one_clock(std::array{same.glimpse(Seconds{1}, Seconds{1e-6}, Seconds{1e-6})}));
  EXPECT_TRUE(may_be_one_clock(std::array{slow}));
  EXPECT_FALSE(
      may_be_one_clock(std::array{slow, other.glimpse(Seconds{2}, Seconds{1e-6}, Seconds{1e-6})}));
  const Asked behind{.ahead = Seconds{-2e-6}, .drift = 0};
  EXPECT_FALSE(
      may_be_one_clock(std::array{behind.glimpse(Seconds{2}, Seconds{1e-6}, Seconds{1e-6})}));
}

class DriftTest : public testing::TestWithParam<double> {};

TEST_P(DriftTest, equal_delays_show_the_drift_exactly) {
  const Asked other{.ahead = Seconds{3e4}, .drift = GetParam()};
  ClockModel model;
  for (int second = 0; second < 5; ++second) {
    model.learn(std::array{other.glimpse(Seconds{double(second)}, Seconds{1e-6}, Seconds{1e-6})});
  }
  EXPECT_NEAR(model.line().drift, other.drift, 1e-9);
  EXPECT_NEAR(model.line().there(Seconds{6}).count(), other.shows(Seconds{6}).count(), 1e-9);
}

TEST_P(DriftTest, noisy_delays_show_the_time_within_half_the_shortest_round_trip) {
  const Asked other{.ahead = Seconds{-7}, .drift = GetParam()};
  std::mt19937 random(1);
  std::exponential_distribution<double> noise(1 / 5e-6);
  constexpr double shortest_s = 20e-6;
  ClockModel model;
  for (int burst = 0; burst < 100; ++burst) {
    std::vector<Glimpse> glimpses;
    for (int turn = 0; turn < 20; ++turn) {
      glimpses.push_back(other.glimpse(Seconds{0.05 * burst + 1e-4 * turn},
                                       Seconds{shortest_s + noise(random)},
                                       Seconds{shortest_s + noise(random)}));
    }
    model.learn(glimpses);
    const Seconds soon = glimpses.back().returned + Seconds{0.05};
    EXPECT_NEAR(model.line().there(soon).count(), other.shows(soon).count(), shortest_s) << burst;
  }
  EXPECT_NEAR(model.line().drift, other.drift, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Drifts, DriftTest, testing::Values(0.0, 1e-6, -3e-5, 1e-4));

}  // namespace
}  // namespace halocline::measure
