#include "halocline/numerics/barotropic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/numerics/block_ssor.hpp"
#include "halocline/numerics/rows.hpp"
#include "halocline/route/block_halo.hpp"

namespace halocline::numerics {
namespace {

route::Route ring_of(const SolverParts& parts) {
  return route::halo(
      parts.a.fields().blocks(),
      {.below = {1, 1, 0, 0}, .above = {1, 1, 0, 0}, .periodic = {true, false, false, false}},
      parts.ranks);
}

const BlockSsor* factors_of(const SolverParts& parts) {
  return parts.preconditioner == nullptr ? nullptr : parts.preconditioner->factors();
}

SolverParts without_factors(SolverParts parts) {
  if (factors_of(parts) != nullptr) {
    parts.preconditioner = nullptr;
  }
  return parts;
}

}  // namespace

HaloedVector::HaloedVector(const SolverParts& parts)
    : parts_(parts),
      values_(parts.a.fields().zeros()),
      halo_(ring_of(parts), parts.a.fields().bundles(values_), parts.a.fields().bundles(values_),
            parts.way, parts.ranks) {}

void HaloedVector::start() {
  parts_.on_stage(Stage::halo);
  halo_.start();
}

void HaloedVector::finish() {
  parts_.on_stage(Stage::halo);
  halo_.finish();
}

void HaloedVector::update() {
  start();
  finish();
}

BarotropicSolver::BarotropicSolver(const SolverParts& parts)
    : parts_(without_factors(parts)),
      fields_(parts.a.fields()),
      right_(fields_.zeros()),
      x_(parts_),
      a_(parts.a),
      checked_(fields_.zeros()),
      check_sum_(sums_of(1)) {
  a_.squared_areas(check_sum_);
  areas_ = std::sqrt(reduced(check_sum_));
  if (const BlockSsor* factors = factors_of(parts)) {
    between_ = std::make_unique<Between>(*factors, parts_);
  }
}

BarotropicSolver::~BarotropicSolver() = default;

Solved BarotropicSolver::solve(const BlockVector& b, BlockVector& p, const Stop& stop) {
  stage(Stage::vectors);
  std::ranges::copy(b, right_.begin());
  a_.divide_by_root(right_);
  std::ranges::copy(p, x_.values().begin());
  a_.multiply_by_root(x_.values());
  if (between_) {
    stage(Stage::preconditioner);
    std::ranges::copy(right_, between_->right.begin());
    between_->factors.divide_by_lower(between_->right, right_);
    between_->factors.multiply_by_upper(x_.values());
  }
  begin();
  Solved solved{.iterations = 0, .residual = 0, .converged = false};
  while (!solved.converged && solved.iterations < stop.iterations) {
    const std::int64_t next =
        std::min(iterations_between_checks, stop.iterations - solved.iterations);
    for (std::int64_t iteration = 0; iteration < next; ++iteration) {
      iterate();
    }
    solved.iterations += next;
    solved.residual = relative_residual();
    if (!std::isfinite(solved.residual)) {
      throw Error("the barotropic solver's residual is not a number after " +
                  std::to_string(solved.iterations) +
                  " iterations; check the right-hand side, the first guess and the depths for NaN");
    }
    solved.converged = solved.residual < stop.tolerance;
  }
  if (between_) {
    stage(Stage::preconditioner);
    between_->factors.divide_by_upper(x_.values(), p);
    stage(Stage::vectors);
  } else {
    stage(Stage::vectors);
    std::ranges::copy(x_.values(), p.begin());
  }
  a_.divide_by_root(p);
  return solved;
}

SolverWork BarotropicSolver::work(std::int64_t iterations) const {
  // Three vectors in and out, each copied and scaled.
  constexpr SolverWork around{.vector_operations = 3, .vectors_touched = 15};
  constexpr SolverWork check{
      .applications = 1, .halos = 1, .summed = 1, .vector_operations = 3, .vectors_touched = 2};
  const std::int64_t checks =
      (iterations + iterations_between_checks - 1) / iterations_between_checks;
  SolverWork work = work_of_beginning() + iterations * work_of_iteration();
  work.preconditionings *= is_preconditioned() ? 1 : 0;
  if (between_) {
    std::swap(work.applications, work.preconditionings);
    // A sweep, half of a product, in each check, two before the iterations and one after them.
    work.preconditionings += (checks + 4) / 2;
  }
  return work + around + checks * check;
}

std::size_t BarotropicSolver::summed_bytes(std::int64_t iterations) const {
  if (parts_.ranks.size() == 1) {
    return 0;
  }
  const std::size_t numbers = parts_.summation == Summation::plain ? 1 : ExactSum::bins;
  return static_cast<std::size_t>(work(iterations).summed) * numbers * sizeof(double);
}

double BarotropicSolver::reduced(PartialSums& sums) const {
  start_reducing(sums);
  return finish_reducing(sums);
}

void BarotropicSolver::start_reducing(PartialSums& sums) const {
  stage(Stage::global_sum);
  parts_.sum.start(sums.numbers());
}

double BarotropicSolver::finish_reducing(PartialSums& sums) const {
  if (parts_.meet_before_sums) {
    stage(Stage::waiting);
    parts_.ranks.barrier();
  }
  stage(Stage::global_sum);
  parts_.sum.finish();
  return sums.value(0);
}

BlockVector& BarotropicSolver::preconditioned(BlockVector& vector, BlockVector& result) const {
  if (parts_.preconditioner == nullptr) {
    return vector;
  }
  stage(Stage::preconditioner);
  parts_.preconditioner->apply(vector, result);
  return result;
}

void BarotropicSolver::dot(const BlockVector& one, const BlockVector& other,
                           PartialSums& sums) const {
  stage(Stage::vectors);
  for_each_run(fields_, &sums, [&](const Strip& /*strip*/, const Run& run) {
    add_products(one.data() + run.at, other.data() + run.at, sums.columns(0) + run.column,
                 run.length);
  });
}

const BlockVector& BarotropicSolver::of_operator(HaloedVector& x) {
  if (!between_) {
    x.update();
    return x.values();
  }
  stage(Stage::preconditioner);
  between_->factors.divide_by_upper(x.values(), between_->x.values());
  between_->x.update();
  return between_->x.values();
}

void BarotropicSolver::apply(HaloedVector& x, BlockVector& image, PartialSums* sums) {
  const BlockVector& haloed = of_operator(x);
  if (between_) {
    stage(Stage::preconditioner);
    between_->factors.multiply(x.values(), haloed, image, sums);
  } else {
    stage(Stage::stencil);
    a_.apply(haloed, image, sums);
  }
}

void BarotropicSolver::true_residual(BlockVector& residual) {
  const BlockVector& haloed = of_operator(x_);
  if (between_) {
    stage(Stage::preconditioner);
    between_->factors.residual(right_, x_.values(), haloed, residual);
  } else {
    stage(Stage::stencil);
    a_.residual(right_, haloed, residual);
  }
}

double BarotropicSolver::relative_residual() {
  const BlockVector& haloed = of_operator(x_);
  stage(Stage::stencil);
  a_.residual(between_ ? between_->right : right_, haloed, checked_);
  stage(Stage::vectors);
  a_.squared_norm(checked_, check_sum_);
  return std::sqrt(reduced(check_sum_)) / areas_;
}

}  // namespace halocline::numerics
