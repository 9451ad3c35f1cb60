#pragma once

#include <cstddef>
#include <vector>

namespace halocline::numerics {

/// Plan for in-place complex Fourier transforms of one length: passes of radix 8, 4, 2, 3 and 5.
/// Forward takes ordered points to frequencies at their places, decimating in frequency; inverse
/// goes back. Neither is normalised.
template <class Real>
struct FourierPlan {
  struct Pass {
    int radix;
    int step;                   // points between inputs of a butterfly
    std::vector<Real> twiddle;  // exp(-2πi jq/(radix step)), [j < step][0 < q < radix][re, im]
  };

  /// Throws Error if the length has a prime factor other than 2, 3 and 5.
  explicit FourierPlan(int length);

  int length;
  std::vector<Pass> passes;
  std::vector<int> place;  // per frequency
};

/// Places of the frequencies m and N − m for some orders m, among the points of a transform or in
/// separate arrays. An order that is its own mirror has mirror -1.
struct FrequencyPlaces {
  const int* orders;
  const int* mirrors;
  int count;  // of orders that matter, from the first; the others are 0
  int all_count;
  const int* no_order;  // other points, to be cleared before a transform
  int no_order_count;
};

/// Owns such places.
struct OrderPlaces {
  std::vector<int> orders;
  std::vector<int> mirrors;
  std::vector<int> no_order;  // the other points; empty where the caller clears them

  /// Places that a plan gives to orders below half its length.
  template <class Real>
  static OrderPlaces of(const FourierPlan<Real>& plan, const std::vector<int>& orders);

  FrequencyPlaces places() const {
    const auto count = static_cast<int>(orders.size());
    return {.orders = orders.data(),
            .mirrors = mirrors.data(),
            .count = count,
            .all_count = count,
            .no_order = no_order.data(),
            .no_order_count = static_cast<int>(no_order.size())};
  }
};

extern template struct FourierPlan<float>;
extern template struct FourierPlan<double>;

}  // namespace halocline::numerics
