#pragma once

#include <memory>

#include "halocline/numerics/barotropic_solver.hpp"

namespace halocline::numerics {

/// Ghysels and Vanroose 2014: one sum, in flight while the operator is applied. Recurrences for
/// more vectors cost some digits.
class PipelinedGradients final : public BarotropicSolver {
 public:
  /// Collective.
  explicit PipelinedGradients(const SolverParts& parts);
  std::int64_t vectors() const override { return is_preconditioned() ? 10 : 7; }

 private:
  void begin() override;
  void iterate() override;
  SolverWork work_of_beginning() const override;
  SolverWork work_of_iteration() const override;
  void add_products();

  const bool plain_;  // without preconditioner, u is r, q is s, m is w
  BlockVector residual_;
  HaloedVector u_;
  HaloedVector w_;
  std::unique_ptr<HaloedVector> m_;
  BlockVector n_;
  BlockVector z_;
  BlockVector q_;
  BlockVector s_;
  BlockVector p_;
  PartialSums sums_;
  double former_product_ = 0;
  double former_alpha_ = 0;
};

/// Gropp's variant (2010): two sums, one in flight while the preconditioner is applied, the other
/// while the operator is.
class GroppGradients final : public BarotropicSolver {
 public:
  /// Collective.
  explicit GroppGradients(const SolverParts& parts);
  std::int64_t vectors() const override { return is_preconditioned() ? 7 : 5; }

 private:
  void begin() override;
  void iterate() override;
  SolverWork work_of_beginning() const override;
  SolverWork work_of_iteration() const override;

  const bool plain_;  // without preconditioner, z is r, q is s
  BlockVector residual_;
  HaloedVector z_;
  BlockVector p_;
  BlockVector s_;
  BlockVector q_;
  BlockVector image_;
  PartialSums curvature_sum_;
  PartialSums product_sum_;
  double product_ = 0;
};

}  // namespace halocline::numerics
