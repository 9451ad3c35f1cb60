#include "halocline/numerics/pipelined_gradients.hpp"

#include <algorithm>

#include "halocline/numerics/rows.hpp"

namespace halocline::numerics {
namespace {

BlockVector unless(bool plain, const BlockFields& fields) {
  return plain ? BlockVector{} : fields.zeros();
}

/// products += one · other; squares += one · one.
void add_two_row(const double* __restrict one, const double* __restrict other,
                 double* __restrict products, double* __restrict squares, std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    products[k] += one[k] * other[k];
    squares[k] += one[k] * one[k];
  }
}

}  // namespace

PipelinedGradients::PipelinedGradients(const SolverParts& parts)
    : BarotropicSolver(parts),
      plain_(!is_preconditioned()),
      residual_(unless(plain_, fields_)),
      u_(parts_),
      w_(parts_),
      m_(plain_ ? nullptr : std::make_unique<HaloedVector>(parts_)),
      n_(fields_.zeros()),
      z_(fields_.zeros()),
      q_(unless(plain_, fields_)),
      s_(fields_.zeros()),
      p_(fields_.zeros()),
      sums_(sums_of(2)) {}

void PipelinedGradients::begin() {
  for (BlockVector* vector : {&z_, &q_, &s_, &p_}) {
    std::ranges::fill(*vector, 0.0);
  }
  true_residual(plain_ ? u_.values() : residual_);
  preconditioned(plain_ ? u_.values() : residual_, u_.values());
  apply(u_, w_.values());
  former_product_ = 0;
}

/// Sum 0: u · w; sum 1: u · r.
void PipelinedGradients::add_products() {
  stage(Stage::vectors);
  const double* const u = u_.values().data();
  const double* const w = w_.values().data();
  for_each_run(fields_, &sums_, [&](const Strip& /*strip*/, const Run& run) {
    double* const products = sums_.columns(0) + run.column;
    double* const squares = sums_.columns(1) + run.column;
    if (plain_) {
      add_two_row(u + run.at, w + run.at, products, squares, run.length);
    } else {
      numerics::add_products(u + run.at, w + run.at, products, run.length);
      numerics::add_products(u + run.at, residual_.data() + run.at, squares, run.length);
    }
  });
}

void PipelinedGradients::iterate() {
  add_products();
  start_reducing(sums_);
  HaloedVector& m = plain_ ? w_ : *m_;
  preconditioned(w_.values(), m.values());
  apply(m, n_);
  const double curvature = finish_reducing(sums_);
  const double product = sums_.value(1);
  const double beta = former_product_ == 0 ? 0 : product / former_product_;
  const double divisor =
      former_product_ == 0 ? curvature : curvature - beta * product / former_alpha_;
  const double alpha = divisor == 0 ? 0 : product / divisor;
  former_product_ = product;
  former_alpha_ = alpha;
  stage(Stage::vectors);
  double* const x = x_.values().data();
  double* const u = u_.values().data();
  double* const w = w_.values().data();
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    scale_and_add(z_.data() + run.at, beta, n_.data() + run.at, run.length);
    scale_and_add(s_.data() + run.at, beta, w + run.at, run.length);
    scale_and_add(p_.data() + run.at, beta, u + run.at, run.length);
    add_scaled(x + run.at, alpha, p_.data() + run.at, run.length);
    if (plain_) {
      add_scaled(u + run.at, -alpha, s_.data() + run.at, run.length);
    } else {
      scale_and_add(q_.data() + run.at, beta, m.values().data() + run.at, run.length);
      add_scaled(residual_.data() + run.at, -alpha, s_.data() + run.at, run.length);
      add_scaled(u + run.at, -alpha, q_.data() + run.at, run.length);
    }
    add_scaled(w + run.at, -alpha, z_.data() + run.at, run.length);
  });
}

SolverWork PipelinedGradients::work_of_beginning() const {
  return {.applications = 2, .halos = 2, .preconditionings = 1, .vectors_touched = 4};
}

SolverWork PipelinedGradients::work_of_iteration() const {
  return {.applications = 1,
          .halos = 1,
          .summed = 2,
          .preconditionings = 1,
          .vector_operations = is_preconditioned() ? 20 : 16,
          .vectors_touched = is_preconditioned() ? 22 : 15};
}

SolverWork GroppGradients::work_of_beginning() const {
  return {.applications = 2,
          .halos = 2,
          .summed = 1,
          .preconditionings = 1,
          .vector_operations = 2,
          .vectors_touched = 4};
}

SolverWork GroppGradients::work_of_iteration() const {
  return {.applications = 1,
          .halos = 1,
          .summed = 2,
          .preconditionings = 1,
          .vector_operations = is_preconditioned() ? 14 : 12,
          .vectors_touched = is_preconditioned() ? 15 : 12};
}

GroppGradients::GroppGradients(const SolverParts& parts)
    : BarotropicSolver(parts),
      plain_(!is_preconditioned()),
      residual_(unless(plain_, fields_)),
      z_(parts_),
      p_(fields_.zeros()),
      s_(fields_.zeros()),
      q_(unless(plain_, fields_)),
      image_(fields_.zeros()),
      curvature_sum_(sums_of(1)),
      product_sum_(sums_of(1)) {}

void GroppGradients::begin() {
  BlockVector& r = plain_ ? z_.values() : residual_;
  true_residual(r);
  preconditioned(r, z_.values());
  apply(z_, s_);
  std::ranges::copy(z_.values(), p_.begin());
  dot(r, z_.values(), product_sum_);
  product_ = reduced(product_sum_);
}

void GroppGradients::iterate() {
  BlockVector& r = plain_ ? z_.values() : residual_;
  dot(p_, s_, curvature_sum_);
  start_reducing(curvature_sum_);
  const BlockVector& q = preconditioned(s_, q_);
  const double curvature = finish_reducing(curvature_sum_);
  const double alpha = curvature == 0 ? 0 : product_ / curvature;
  stage(Stage::vectors);
  double* const x = x_.values().data();
  double* const z = z_.values().data();
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    add_scaled(x + run.at, alpha, p_.data() + run.at, run.length);
    add_scaled(r.data() + run.at, -alpha, s_.data() + run.at, run.length);
    if (!plain_) {
      add_scaled(z + run.at, -alpha, q.data() + run.at, run.length);
    }
  });
  dot(r, z_.values(), product_sum_);
  start_reducing(product_sum_);
  apply(z_, image_);
  const double product = finish_reducing(product_sum_);
  const double beta = product_ == 0 ? 0 : product / product_;
  product_ = product;
  stage(Stage::vectors);
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    scale_and_add(p_.data() + run.at, beta, z + run.at, run.length);
    scale_and_add(s_.data() + run.at, beta, image_.data() + run.at, run.length);
  });
}

}  // namespace halocline::numerics
