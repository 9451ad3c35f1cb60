#include "halocline/numerics/conjugate_gradients.hpp"

#include <algorithm>

#include "halocline/numerics/rows.hpp"

namespace halocline::numerics {
namespace {

/// Without a preconditioner the second vector is the first.
BlockVector second(const SolverParts& parts) {
  return parts.preconditioner == nullptr ? BlockVector{} : parts.a.fields().zeros();
}

/// x += step × direction; residual -= step × image.
void descend_row(double* __restrict x, double* __restrict residual, double step,
                 const double* __restrict direction, const double* __restrict image,
                 std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    x[k] += step * direction[k];
    residual[k] -= step * image[k];
  }
}

/// Same, and adds up the residual's squares.
void descend_row(double* __restrict x, double* __restrict residual, double step,
                 const double* __restrict direction, const double* __restrict image,
                 double* __restrict squares, std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    x[k] += step * direction[k];
    const double left = residual[k] - step * image[k];
    residual[k] = left;
    squares[k] += left * left;
  }
}

}  // namespace

ConjugateGradients::ConjugateGradients(const SolverParts& parts)
    : BarotropicSolver(parts),
      residual_(fields_.zeros()),
      preconditioned_(second(parts_)),
      direction_(parts_),
      image_(fields_.zeros()),
      direction_sums_(sums_of(2)),
      residual_sum_(sums_of(1)) {}

void ConjugateGradients::begin() {
  true_residual(residual_);
  std::ranges::fill(direction_.values(), 0.0);
  former_product_ = 0;
  const BlockVector& z = preconditioned(residual_, preconditioned_);
  dot(residual_, z, residual_sum_);
  product_ = reduced(residual_sum_);
}

void ConjugateGradients::begin_with(const BlockVector& right) {
  std::ranges::copy(right, right_.begin());
  std::ranges::fill(x_.values(), 0.0);
  begin();
}

void ConjugateGradients::iterate() {
  BlockVector& p = direction_.values();
  const BlockVector& z = parts_.preconditioner == nullptr ? residual_ : preconditioned_;
  beta_ = former_product_ == 0 ? 0 : product_ / former_product_;
  stage(Stage::vectors);
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    scale_and_add(p.data() + run.at, beta_, z.data() + run.at, run.length);
  });
  apply(direction_, image_, &direction_sums_);
  const double curvature = reduced(direction_sums_);
  alpha_ = curvature == 0 ? 0 : product_ / curvature;
  stage(Stage::vectors);
  double* const x = x_.values().data();
  for_each_run(fields_, &residual_sum_, [&](const Strip& /*strip*/, const Run& run) {
    descend_row(x + run.at, residual_.data() + run.at, alpha_, p.data() + run.at,
                image_.data() + run.at, residual_sum_.columns(0) + run.column, run.length);
  });
  if (parts_.preconditioner != nullptr) {
    dot(residual_, preconditioned(residual_, preconditioned_), residual_sum_);
  }
  former_product_ = product_;
  product_ = reduced(residual_sum_);
}

SolverWork ConjugateGradients::work_of_beginning() const {
  return {.applications = 1,
          .halos = 1,
          .summed = 1,
          .preconditionings = 1,
          .vector_operations = 2,
          .vectors_touched = 3};
}

SolverWork ConjugateGradients::work_of_iteration() const {
  return {.applications = 1,
          .halos = 1,
          .summed = 3,
          .preconditionings = 1,
          .vector_operations = is_preconditioned() ? 10 : 8,
          .vectors_touched = is_preconditioned() ? 11 : 9};
}

SolverWork ChronopoulosGear::work_of_beginning() const {
  return {.applications = 1, .halos = 1, .vectors_touched = 2};
}

SolverWork ChronopoulosGear::work_of_iteration() const {
  return {.applications = 1,
          .halos = 1,
          .summed = 2,
          .preconditionings = 1,
          .vector_operations = is_preconditioned() ? 10 : 8,
          .vectors_touched = is_preconditioned() ? 12 : 10};
}

ChronopoulosGear::ChronopoulosGear(const SolverParts& parts)
    : BarotropicSolver(parts),
      residual_(parts_),
      preconditioned_(!is_preconditioned() ? nullptr : std::make_unique<HaloedVector>(parts_)),
      direction_(fields_.zeros()),
      image_(fields_.zeros()),
      image_of_direction_(fields_.zeros()),
      sums_(sums_of(2)),
      product_sum_(sums_of(1)) {}

void ChronopoulosGear::begin() {
  true_residual(residual_.values());
  std::ranges::fill(direction_, 0.0);
  std::ranges::fill(image_of_direction_, 0.0);
  former_product_ = 0;
  curvature_ = 0;
}

void ChronopoulosGear::iterate() {
  BlockVector& r = residual_.values();
  HaloedVector& z = preconditioned_ ? *preconditioned_ : residual_;
  preconditioned(r, z.values());
  apply(z, image_, &sums_);
  if (preconditioned_) {  // r · z instead of z · z, in the same sum over ranks
    dot(r, z.values(), product_sum_);
    std::ranges::copy(product_sum_.numbers(),
                      sums_.numbers().last(product_sum_.numbers().size()).begin());
  }
  const double image_product = reduced(sums_);
  const double product = sums_.value(1);
  const double beta = former_product_ == 0 ? 0 : product / former_product_;
  curvature_ = image_product - beta * beta * curvature_;
  const double alpha = curvature_ == 0 ? 0 : product / curvature_;
  former_product_ = product;
  stage(Stage::vectors);
  double* const x = x_.values().data();
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    scale_and_add(direction_.data() + run.at, beta, z.values().data() + run.at, run.length);
    scale_and_add(image_of_direction_.data() + run.at, beta, image_.data() + run.at, run.length);
    descend_row(x + run.at, r.data() + run.at, alpha, direction_.data() + run.at,
                image_of_direction_.data() + run.at, run.length);
  });
}

}  // namespace halocline::numerics
