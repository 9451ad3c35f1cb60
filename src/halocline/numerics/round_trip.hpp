#pragma once

#include <cstdint>

#include "halocline/numerics/sphere_transform.hpp"

namespace halocline::numerics {

/// Coefficients of a rank that a transform has changed, beyond rounding.
template <class Real>
struct ChangedCoefficients {
  std::int64_t count = 0;
  // Of the first of them:
  Real returned{};
  Real expected{};
};

/// Transforms coefficients that the seed selects, different at each level, to the grid and back.
/// Collective, like run().
template <class Real>
ChangedCoefficients<Real> changed_by_round_trip(SphereTransform<Real>& transform,
                                                std::uint64_t seed);

extern template ChangedCoefficients<float> changed_by_round_trip(SphereTransform<float>&,
                                                                 std::uint64_t);
extern template ChangedCoefficients<double> changed_by_round_trip(SphereTransform<double>&,
                                                                  std::uint64_t);

}  // namespace halocline::numerics
