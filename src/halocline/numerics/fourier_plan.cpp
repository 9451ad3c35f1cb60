#include "halocline/numerics/fourier_plan.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::numerics {

template <class Real>
FourierPlan<Real>::FourierPlan(int points) : length(points) {
  int rest = points;
  for (const int radix : std::array{8, 4, 2, 3, 5}) {
    for (; rest % radix == 0; rest /= radix) {
      Pass pass{.radix = radix, .step = rest / radix, .twiddle = {}};
      for (int j = 0; j < pass.step; ++j) {
        for (int q = 1; q < radix; ++q) {
          const long double angle = -2 * std::numbers::pi_v<long double> * j * q / rest;
          pass.twiddle.push_back(static_cast<Real>(std::cos(angle)));
          pass.twiddle.push_back(static_cast<Real>(std::sin(angle)));
        }
      }
      passes.push_back(std::move(pass));
    }
  }
  if (rest != 1) {
    throw Error("a Fourier transform of " + std::to_string(points) +
                " points; allowed: products of 2, 3 and 5; choose another grid");
  }
  for (int frequency = 0; frequency < points; ++frequency) {
    int position = 0;
    int quotient = frequency;
    for (const Pass& pass : passes) {
      position += quotient % pass.radix * pass.step;
      quotient /= pass.radix;
    }
    place.push_back(position);
  }
}

template <class Real>
OrderPlaces OrderPlaces::of(const FourierPlan<Real>& plan, const std::vector<int>& orders) {
  const auto place_of = [&plan](int frequency) {
    return plan.place[static_cast<std::size_t>(frequency)];
  };
  OrderPlaces places;
  std::vector<bool> taken(plan.place.size());
  for (const int order : orders) {
    places.orders.push_back(place_of(order));
    places.mirrors.push_back(order == 0 ? -1 : place_of(plan.length - order));
    taken[static_cast<std::size_t>(places.orders.back())] = true;
    if (order != 0) {
      taken[static_cast<std::size_t>(places.mirrors.back())] = true;
    }
  }
  for (int place = 0; place < plan.length; ++place) {
    if (!taken[static_cast<std::size_t>(place)]) {
      places.no_order.push_back(place);
    }
  }
  return places;
}

template struct FourierPlan<float>;
template struct FourierPlan<double>;
template OrderPlaces OrderPlaces::of(const FourierPlan<float>&, const std::vector<int>&);
template OrderPlaces OrderPlaces::of(const FourierPlan<double>&, const std::vector<int>&);

}  // namespace halocline::numerics
