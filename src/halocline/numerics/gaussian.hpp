#pragma once

#include <vector>

namespace halocline::numerics {

/// Northern half of a Gaussian grid; the southern rows mirror it.
struct GaussianRows {
  std::vector<double> sine;    // of latitude, from pole to equator
  std::vector<double> weight;  // both halves sum to 2
};

/// Nodes and weights of Gauss–Legendre quadrature with `rows` points, an even number. Uses Newton's
/// method on the Legendre polynomial, in extended precision.
GaussianRows gaussian_rows(int rows);

}  // namespace halocline::numerics
