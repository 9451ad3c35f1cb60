#include "halocline/numerics/chebyshev.hpp"

#include <algorithm>

#include "halocline/numerics/rows.hpp"

namespace halocline::numerics {
namespace {

Spectrum widened(const Spectrum& spectrum) {
  return {.least = 0.95 * spectrum.least, .largest = 1.02 * spectrum.largest};
}

/// change = factor × residual + momentum × change; x += change.
void step_row(double* __restrict x, double* __restrict change, double momentum, double factor,
              const double* __restrict residual, std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    change[k] = factor * residual[k] + momentum * change[k];
    x[k] += change[k];
  }
}

}  // namespace

ChebyshevIteration::ChebyshevIteration(const SolverParts& parts)
    : BarotropicSolver(parts),
      spectrum_(widened(estimated_spectrum(parts))),
      residual_(fields_.zeros()),
      preconditioned_(is_preconditioned() ? fields_.zeros() : BlockVector{}),
      change_(fields_.zeros()) {}

void ChebyshevIteration::begin() {
  std::ranges::fill(change_, 0.0);
  omega_ = 0;
  true_residual(residual_);
}

SolverWork ChebyshevIteration::work_of_beginning() const {
  return {.applications = 1, .halos = 1, .vectors_touched = 1};
}

SolverWork ChebyshevIteration::work_of_iteration() const {
  return {.applications = 1,
          .halos = 1,
          .preconditionings = 1,
          .vector_operations = 4,
          .vectors_touched = 6};
}

void ChebyshevIteration::iterate() {
  // α and γ = β / α of Hu et al.: from half the width of the spectrum, and its middle.
  const double alpha = 2 / (spectrum_.largest - spectrum_.least);
  const double gamma = (spectrum_.largest + spectrum_.least) / 2;
  double factor = 1 / gamma;
  double momentum = 0;
  if (omega_ == 0) {
    omega_ = 2 / gamma;
  } else {
    omega_ = 1 / (gamma - omega_ / (4 * alpha * alpha));
    factor = omega_;
    momentum = gamma * omega_ - 1;
  }
  const BlockVector& z = preconditioned(residual_, preconditioned_);
  stage(Stage::vectors);
  double* const x = x_.values().data();
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    step_row(x + run.at, change_.data() + run.at, momentum, factor, z.data() + run.at, run.length);
  });
  true_residual(residual_);
}

}  // namespace halocline::numerics
