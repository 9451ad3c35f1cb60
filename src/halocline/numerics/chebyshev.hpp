#pragma once

#include "halocline/numerics/barotropic_solver.hpp"
#include "halocline/numerics/spectrum.hpp"

namespace halocline::numerics {

/// P-CSI: Stiefel's Chebyshev iteration in the form of Hu, Huang et al. 2015 for POP. It needs no
/// sums except for the checks, but requires the bounds of the spectrum.
class ChebyshevIteration final : public BarotropicSolver {
 public:
  /// Collective. Estimates the spectrum and widens it by 5 % below and 2 % above, because the
  /// iteration diverges outside it.
  explicit ChebyshevIteration(const SolverParts& parts);
  std::int64_t vectors() const override { return is_preconditioned() ? 5 : 4; }

  const Spectrum& spectrum() const { return spectrum_; }

 private:
  void begin() override;
  void iterate() override;
  SolverWork work_of_beginning() const override;
  SolverWork work_of_iteration() const override;

  Spectrum spectrum_;
  BlockVector residual_;
  BlockVector preconditioned_;
  BlockVector change_;
  double omega_ = 0;  // from the last iteration; 0 before the first
};

}  // namespace halocline::numerics
