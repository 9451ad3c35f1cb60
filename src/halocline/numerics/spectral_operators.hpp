#pragma once

#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/legendre.hpp"
#include "halocline/numerics/williamson.hpp"

namespace halocline::numerics {

/// Weights of the neighbouring degrees in a row's derivatives by latitude.
template <class Real>
struct Neighbours {
  Real below;
  Real above;
};

/// (1−μ²) d/dμ of a series, in the coefficients of one row.
inline Neighbours<double> of_series(int degree, int order) {
  return {.below = -(degree - 1) * legendre_epsilon(degree, order),
          .above = (degree + 2) * legendre_epsilon(degree + 1, order)};
}

/// Integral of a field with (1−μ²) dP/dμ, in the coefficients of the field.
inline Neighbours<double> of_integral(int degree, int order) {
  return {.below = (degree + 1) * legendre_epsilon(degree, order),
          .above = -degree * legendre_epsilon(degree + 1, order)};
}

/// ∇⁻² of a coefficient.
inline double inverse_laplacian(int degree) {
  return degree == 0 ? 0.0
                     : -earth::radius_m * earth::radius_m / (double{1} * degree * (degree + 1));
}

}  // namespace halocline::numerics
