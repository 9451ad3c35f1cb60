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

/// What a solver is doing. `waiting` covers barriers only; `remap` moves the system to the solving
/// ranks and the solution back.
enum class Stage { stencil, halo, global_sum, preconditioner, vectors, waiting, remap };
inline constexpr std::size_t solver_stages = 7;

/// What solvers work with. All of it must outlive them.
struct SolverParts {
  const BarotropicOperator& a;
  const mpi::Communicator& ranks;
  bundle::Way way;  // how halos travel
  GlobalSum& sum;
  Summation summation = Summation::plain;
  const Preconditioner* preconditioner = nullptr;  // null: the diagonal, which costs nothing
  bool meet_before_sums = false;  // barrier first: waiting does not count as summing
  std::function<void(Stage)> on_stage = [](Stage /*stage*/) {};
};

/// When a solver stops. Every ten iterations it recomputes and tests the residual.
struct Stop {
  double tolerance = 0;  // norm of A's residual over norm of TAREA
  std::int64_t iterations = 10'000;
};

struct Solved {
  std::int64_t iterations;
  double residual;  // as in Stop::tolerance
  bool converged;
};

inline constexpr std::int64_t iterations_between_checks = 10;

/// Work of a solver; vector counts are per ocean cell.
struct SolverWork {
  std::int64_t applications = 0;  // operator applications
  std::int64_t halos = 0;
  std::int64_t summed = 0;  // values summed over all ranks
  std::int64_t preconditionings = 0;
  std::int64_t vector_operations = 0;  // floating-point, without the operator
  std::int64_t vectors_touched = 0;    // read or written by these

  friend SolverWork operator+(const SolverWork& one, const SolverWork& other) {
    return {.applications = one.applications + other.applications,
            .halos = one.halos + other.halos,
            .summed = one.summed + other.summed,
            .preconditionings = one.preconditionings + other.preconditionings,
            .vector_operations = one.vector_operations + other.vector_operations,
            .vectors_touched = one.vectors_touched + other.vectors_touched};
  }
  friend SolverWork operator*(std::int64_t times, const SolverWork& work) {
    return {.applications = times * work.applications,
            .halos = times * work.halos,
            .summed = times * work.summed,
            .preconditionings = times * work.preconditionings,
            .vector_operations = times * work.vector_operations,
            .vectors_touched = times * work.vectors_touched};
  }
};

/// A vector that the operator is applied to, with its halo.
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

/// Solves A p = b on all ranks, repeatedly.
///
/// Between the factors of a preconditioner M = E Eᵀ the system is E⁻¹ S E⁻ᵀ x = E⁻¹ right, solved
/// without a preconditioner; E⁻ᵀ x is then the solution of S.
class BarotropicSolver {
 public:
  virtual ~BarotropicSolver();
  BarotropicSolver(const BarotropicSolver&) = delete;
  BarotropicSolver& operator=(const BarotropicSolver&) = delete;

  /// Starts from the guess in `p` and leaves the solution there. Collective. Throws Error on all
  /// ranks if the residual is not a number, which means NaN in `b` or `p`.
  Solved solve(const BlockVector& b, BlockVector& p, const Stop& stop);

  /// Work of a solve of this many iterations, including its start and its checks.
  SolverWork work(std::int64_t iterations) const;
  /// Different vectors that an iteration passes over, without those of operator and preconditioner.
  virtual std::int64_t vectors() const = 0;
  /// Bytes that this rank contributes to the sums of a solve; 0 on a single rank.
  std::size_t summed_bytes(std::int64_t iterations) const;
  const HaloedVector& solution() const { return x_; }

  /// Creates "pcg", "chronopoulos_gear", "pcsi" (which first estimates the bounds of the spectrum
  /// by Lanczos' method), "pipelined" or "gropp". Collective. Throws Error for any other name.
  static std::unique_ptr<BarotropicSolver> named(std::string_view name, const SolverParts& parts);

 protected:
  explicit BarotropicSolver(const SolverParts& parts);

  /// Restarts from x_ and right_.
  virtual void begin() = 0;
  virtual void iterate() = 0;
  virtual SolverWork work_of_beginning() const = 0;
  virtual SolverWork work_of_iteration() const = 0;

  /// False between factors, too.
  bool is_preconditioned() const { return parts_.preconditioner != nullptr; }
  void stage(Stage stage) const { parts_.on_stage(stage); }
  /// Sums over all ranks: sum 0, and sum 1 if the solver has one. Returns sum 0.
  double reduced(PartialSums& sums) const;
  void start_reducing(PartialSums& sums) const;
  double finish_reducing(PartialSums& sums) const;
  /// Returns the preconditioned vector: `vector` itself without a preconditioner.
  BlockVector& preconditioned(BlockVector& vector, BlockVector& result) const;
  /// sum 0 = one · other, on this rank.
  void dot(const BlockVector& one, const BlockVector& other, PartialSums& sums) const;
  /// image = S x, or E⁻¹ S E⁻ᵀ x between factors, and the sums of BarotropicOperator::apply().
  /// Collective.
  void apply(HaloedVector& x, BlockVector& image, PartialSums* sums = nullptr);
  /// residual = right_ - S x_, or the same between factors. Collective.
  void true_residual(BlockVector& residual);
  PartialSums sums_of(std::size_t count) const {
    return {fields_.widest(), count, parts_.summation};
  }

  const SolverParts parts_;  // without a preconditioner that has factors
  const BlockFields& fields_;
  BlockVector right_;
  HaloedVector x_;

 private:
  /// What is needed between factors.
  struct Between {
    Between(const BlockSsor& of, const SolverParts& parts)
        : factors(of), x(parts), right(parts.a.fields().zeros()) {}

    const BlockSsor& factors;
    HaloedVector x;     // E⁻ᵀ times the vector that the operator is applied to
    BlockVector right;  // of S
  };

  /// What S is applied to, with its halo: x, or E⁻ᵀ x between factors. Collective.
  const BlockVector& of_operator(HaloedVector& x);
  double relative_residual();

  const BarotropicOperator& a_;
  std::unique_ptr<Between> between_;
  BlockVector checked_;
  PartialSums check_sum_;
  double areas_ = 0;  // norm of TAREA
};

}  // namespace halocline::numerics
