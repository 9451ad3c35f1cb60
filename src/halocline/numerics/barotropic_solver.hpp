#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "halocline/bundle/redistribution.hpp"
#include "halocline/numerics/barotropic_operator.hpp"
#include "halocline/numerics/global_sum.hpp"
#include "halocline/numerics/preconditioner.hpp"

namespace halocline::numerics {

/// What a solver does at a time.
enum class Stage { stencil, halo, global_sum, preconditioner, vectors };

/// What solvers work with; all of it must outlive them.
struct SolverParts {
  const BarotropicOperator& a;
  const mpi::Communicator& ranks;
  bundle::Way way;  // how halos travel
  GlobalSum& sum;
  Summation summation = Summation::plain;
  const Preconditioner* preconditioner = nullptr;  // none: the diagonal's, which costs nothing
  std::function<void(Stage)> on_stage = [](Stage /*stage*/) {};
};

/// When a solver ends. Residuals are tested after every ten iterations, computed anew.
struct Stop {
  double tolerance = 0;  // the norm of A's residual over that of TAREA
  std::int64_t iterations = 10'000;
};

struct Solved {
  std::int64_t iterations;
  double residual;  // as Stop::tolerance has it
  bool converged;
};

inline constexpr std::int64_t iterations_between_checks = 10;

/// A vector that the operator is applied to: with its halo.
class HaloedVector {
 public:
  /// Collective.
  HaloedVector(const SolverParts& parts);
  BlockVector& values() { return values_; }
  /// Fills the ghost cells. Collective.
  void update();
  void start();
  void finish();
  std::size_t sent_bytes() const { return halo_.sent_bytes(); }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const {
    return halo_.off_node_bytes(node_of_rank);
  }

 private:
  const SolverParts& parts_;
  BlockVector values_;
  bundle::Redistribution halo_;
};

/// Solves A p = b on all ranks, again and again.
class BarotropicSolver {
 public:
  virtual ~BarotropicSolver() = default;
  BarotropicSolver(const BarotropicSolver&) = delete;
  BarotropicSolver& operator=(const BarotropicSolver&) = delete;

  /// From the first guess in `p` to the solution there. Collective. Throws Error on all ranks where
  /// the residual is not a number, which tells of NaN in `b` or `p`.
  Solved solve(const BlockVector& b, BlockVector& p, const Stop& stop);

  /// Halos and sums of one iteration, without those of checks.
  virtual int halos() const { return 1; }
  virtual int sums() const = 0;
  /// Floating-point operations of one iteration's vectors on a cell, without the operator's.
  virtual int vector_operations() const = 0;
  /// Vectors read or written in them.
  virtual int vectors_touched() const = 0;
  const HaloedVector& solution() const { return x_; }

  /// Collective. "pcg", "chronopoulos_gear", "pcsi" (which estimates the bounds of the spectrum by
  /// Lanczos' method first), "pipelined" or "gropp". Throws Error for another name.
  static std::unique_ptr<BarotropicSolver> named(std::string_view name, const SolverParts& parts);

 protected:
  explicit BarotropicSolver(const SolverParts& parts);

  /// From x_ and right_, anew.
  virtual void begin() = 0;
  virtual void iterate() = 0;

  void stage(Stage stage) const { parts_.on_stage(stage); }
  /// Sums 0 and 1, if the solver has it, over all ranks; returns sum 0.
  double reduced(PartialSums& sums) const;
  void start_reducing(PartialSums& sums) const;
  double finish_reducing(PartialSums& sums) const;
  /// Where a preconditioned vector is: the vector itself without a preconditioner.
  BlockVector& preconditioned(BlockVector& vector, BlockVector& result) const;
  /// sum 0 = one · other, of this rank.
  void dot(const BlockVector& one, const BlockVector& other, PartialSums& sums) const;
  /// residual = right_ - S x_. Collective.
  void true_residual(BlockVector& residual);
  PartialSums sums_of(std::size_t count) const {
    return {fields_.widest(), count, parts_.summation};
  }

  const SolverParts parts_;
  const BlockFields& fields_;
  const BarotropicOperator& a_;
  BlockVector right_;
  HaloedVector x_;

 private:
  double relative_residual();

  BlockVector checked_;
  PartialSums check_sum_;
  double areas_ = 0;  // the norm of TAREA
};

}  // namespace halocline::numerics
