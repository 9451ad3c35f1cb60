#pragma once

#include "halocline/numerics/barotropic_solver.hpp"
#include "halocline/numerics/spectrum.hpp"

namespace halocline::numerics {

/// P-CSI, Stiefel's Chebyshev iteration as Hu, Huang et al. 2015 have it for POP: no sums but those
/// of the checks, but the bounds of the spectrum must be known.
class ChebyshevIteration final : public BarotropicSolver {
 public:
  /// Collective: estimates the spectrum, and widens it by 5 % below and 2 % above, where beyond it
  /// the iteration would diverge.
  explicit ChebyshevIteration(const SolverParts& parts);

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
  double omega_ = 0;  // of the last iteration; 0 before the first
};

}  // namespace halocline::numerics
