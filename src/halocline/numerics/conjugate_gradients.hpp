#pragma once

#include <memory>

#include "halocline/numerics/barotropic_solver.hpp"

namespace halocline::numerics {

/// Conjugate gradients of Hestenes and Stiefel: two consecutive sums per iteration.
class ConjugateGradients final : public BarotropicSolver {
 public:
  /// Collective.
  explicit ConjugateGradients(const SolverParts& parts);
  std::int64_t vectors() const override { return is_preconditioned() ? 5 : 4; }

  /// Step along the direction, and the share of the previous direction in it, from the last
  /// iteration. They are the coefficients of Lanczos' method.
  double alpha() const { return alpha_; }
  double beta() const { return beta_; }

  /// Starts S x = right from x = 0, just to get these coefficients. Collective.
  void begin_with(const BlockVector& right);
  void iterate() override;
  SolverWork work_of_beginning() const override;
  SolverWork work_of_iteration() const override;

 private:
  void begin() override;

  BlockVector residual_;
  BlockVector preconditioned_;
  HaloedVector direction_;
  BlockVector image_;
  PartialSums direction_sums_;
  PartialSums residual_sum_;
  double product_ = 0;
  double former_product_ = 0;
  double alpha_ = 0;
  double beta_ = 0;
};

/// Variant of Chronopoulos and Gear 1989: both sums in one, as in POP since version 2.
class ChronopoulosGear final : public BarotropicSolver {
 public:
  /// Collective.
  explicit ChronopoulosGear(const SolverParts& parts);
  std::int64_t vectors() const override { return is_preconditioned() ? 6 : 5; }

 private:
  void begin() override;
  void iterate() override;
  SolverWork work_of_beginning() const override;
  SolverWork work_of_iteration() const override;

  HaloedVector residual_;
  std::unique_ptr<HaloedVector> preconditioned_;
  BlockVector direction_;
  BlockVector image_;
  BlockVector image_of_direction_;
  PartialSums sums_;
  PartialSums product_sum_;
  double former_product_ = 0;
  double curvature_ = 0;
};

}  // namespace halocline::numerics
