#include "halocline/measure/clock_model.hpp"

#include <algorithm>
#include <vector>

namespace halocline::measure {
namespace {

constexpr std::size_t most_sights = 64;
constexpr double usual_drift = 2e-5;  // computers' quartz clocks drift up to about 20 µs per second
constexpr Seconds least_blur{20e-9};  // what reading a clock takes

/// The maximum error of the sharpest glimpse's offset: the median delay beyond its own, if all of
/// that was one-way.
Seconds blur_of(std::span<const Glimpse> glimpses) {
  std::vector<Seconds> round_trips;
  for (const Glimpse& glimpse : glimpses) {
    round_trips.push_back(glimpse.round_trip());
  }
  std::ranges::sort(round_trips);
  return std::max((round_trips[round_trips.size() / 2] - round_trips.front()) / 2, least_blur);
}

}  // namespace

const Glimpse& sharpest(std::span<const Glimpse> glimpses) {
  return *std::ranges::min_element(glimpses, {}, &Glimpse::round_trip);
}

bool may_be_one_clock(std::span<const Glimpse> glimpses) {
  return std::ranges::all_of(glimpses, [](const Glimpse& glimpse) {
    return glimpse.sent <= glimpse.shown && glimpse.shown <= glimpse.returned;
  });
}

void ClockModel::learn(std::span<const Glimpse> glimpses) {
  const Glimpse& best = sharpest(glimpses);
  sights_.push_back(
      {.when = (best.sent + best.returned) / 2, .ahead = best.ahead(), .blur = blur_of(glimpses)});
  if (sights_.size() > most_sights) {
    sights_.pop_front();
  }
  line_ = fit();
}

// Least squares, each sight weighted by its sharpness. The drift is held near the usual: sights of
// a few milliseconds alone would not determine it.
ClockLine ClockModel::fit() const {
  const Sight& origin = sights_.front();  // differences from it keep all digits
  double weights = 0;
  double sum_when = 0;
  double sum_ahead = 0;
  for (const Sight& sight : sights_) {
    const double weight = 1 / (sight.blur.count() * sight.blur.count());
    weights += weight;
    sum_when += weight * (sight.when - origin.when).count();
    sum_ahead += weight * (sight.ahead - origin.ahead).count();
  }
  const double mean_when = sum_when / weights;
  const double mean_ahead = sum_ahead / weights;
  double spread = 0;
  double slope = 0;
  for (const Sight& sight : sights_) {
    const double weight = 1 / (sight.blur.count() * sight.blur.count());
    const double when = (sight.when - origin.when).count() - mean_when;
    spread += weight * when * when;
    slope += weight * when * ((sight.ahead - origin.ahead).count() - mean_ahead);
  }
  return {.middle = origin.when + Seconds{mean_when},
          .ahead = origin.ahead + Seconds{mean_ahead},
          .drift = slope / (spread + 1 / (usual_drift * usual_drift))};
}

}  // namespace halocline::measure
