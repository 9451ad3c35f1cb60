#pragma once

#include <vector>

#include "halocline/numerics/barotropic_solver.hpp"

namespace halocline::numerics {

/// Between which the eigenvalues lie.
struct Spectrum {
  double least;
  double largest;
};

/// The least and the largest eigenvalue of a symmetric tridiagonal matrix, `off_diagonal` one
/// shorter, by Sturm's sequences. Throws Error for no rows.
Spectrum tridiagonal_spectrum(const std::vector<double>& diagonal,
                              const std::vector<double>& off_diagonal);

/// Estimates the bounds of the preconditioned operator's spectrum from within, by the coefficients
/// of conjugate gradients (Lanczos), until the least no longer changes by more than 1 %.
/// Collective.
Spectrum estimated_spectrum(const SolverParts& parts);

}  // namespace halocline::numerics
