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

extern template struct FourierPlan<float>;
extern template struct FourierPlan<double>;

}  // namespace halocline::numerics
