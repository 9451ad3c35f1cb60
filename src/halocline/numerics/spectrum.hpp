#pragma once

#include <vector>

#include "halocline/numerics/barotropic_solver.hpp"

namespace halocline::numerics {

/// Bounds of the eigenvalues.
struct Spectrum {
  double least;
  double largest;
};

/// Least and largest eigenvalue of a symmetric tridiagonal matrix, by Sturm sequences.
/// `off_diagonal` is one shorter. Throws Error if there are no rows.
Spectrum tridiagonal_spectrum(const std::vector<double>& diagonal,
                              const std::vector<double>& off_diagonal);

/// Estimates the bounds of the preconditioned operator's spectrum from within, from the
/// coefficients of conjugate gradients (Lanczos), until the least no longer changes by more than
/// 1 %. Collective.
Spectrum estimated_spectrum(const SolverParts& parts);

}  // namespace halocline::numerics
