#pragma once

#include <cstddef>
#include <vector>

namespace halocline::numerics {

/// How complex Fourier transforms of one length are made in place: passes of radix 4, 2, 3 and 5.
/// Forward goes from points in order to frequencies at their places, decimating in frequency;
/// inverse goes back. Neither is normalised.
template <class Real>
struct FourierPlan {
  struct Pass {
    int radix;
    int step;                   // points between the inputs of a butterfly
    std::vector<Real> twiddle;  // exp(-2πi jq/(radix step)), [j < step][0 < q < radix][re, im]
  };

  /// Throws Error when the length has another prime factor than 2, 3 and 5.
  explicit FourierPlan(int length);

  int length;
  std::vector<Pass> passes;
  std::vector<int> place;  // of each frequency
};

/// Where the frequencies m and N − m of some orders m lie among points of a transform, or in arrays
/// beside them. An order that is its own mirror has none: -1.
struct FrequencyPlaces {
  const int* orders;
  const int* mirrors;
  int count;
};

/// Such places, owned.
struct OrderPlaces {
  std::vector<int> orders;
  std::vector<int> mirrors;

  /// Those that a plan gives to orders below half of its length.
  template <class Real>
  static OrderPlaces of(const FourierPlan<Real>& plan, const std::vector<int>& orders);

  FrequencyPlaces places() const {
    return {.orders = orders.data(),
            .mirrors = mirrors.data(),
            .count = static_cast<int>(orders.size())};
  }
};

extern template struct FourierPlan<float>;
extern template struct FourierPlan<double>;

}  // namespace halocline::numerics
