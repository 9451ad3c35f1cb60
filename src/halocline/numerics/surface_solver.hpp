#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/layout/blocks.hpp"
#include "halocline/numerics/barotropic_solver.hpp"

namespace halocline::numerics {

/// Where ranks synchronise, so that waiting for the last one does not count as what follows.
enum class Barriers {
  none,
  solve,  // before solving for the ocean's surface
  sums    // there, and before each global sum
};

/// "none", "solve" or "sums". Throws Error for any other name.
Barriers barriers_named(std::string_view name);

/// This many of all ranks, spread evenly, so that each node has equally many. The first is rank 0.
std::vector<int> spread_ranks(int chosen, int all);

/// How to solve for an ocean's surface.
struct SurfaceMethod {
  std::string_view solver;
  std::string_view preconditioner = "diagonal";
  std::string_view sum = "flat";
  Summation summation = Summation::plain;
  Barriers barriers = Barriers::none;
  /// Blocks of the ranks that solve: as many as there are owners, spread over all. None: all ranks
  /// solve, each in the ocean's blocks.
  std::optional<layout::Blocks> blocks = std::nullopt;
};

/// What is needed to solve for the ocean's surface. All of it must outlive the solver.
struct SurfaceParts {
  const DisplacedPoleGrid& grid;
  std::span<const float> depth_m;  // read during construction only
  Seconds time_step;               // for the operator
  const BlockFields& fields;       // of the ocean, on all ranks
  SurfaceMethod method;
  const mpi::Communicator& ranks;
  bundle::Way way;
  std::function<void(Stage)> on_stage = [](Stage /*stage*/) {};
};

/// Barotropic phase of an ocean: solves A p = b for the surface pressure p on all its ranks, or on
/// some. Those receive b and the first guess, and send the solution back.
class SurfaceSolver {
 public:
  /// `right` and `pressure` are the ocean's b and p. Collective. Throws Skip on all ranks if they
  /// cannot exchange or sum as requested.
  SurfaceSolver(const SurfaceParts& parts, BlockVector& right, BlockVector& pressure);
  ~SurfaceSolver();
  SurfaceSolver(const SurfaceSolver&) = delete;
  SurfaceSolver& operator=(const SurfaceSolver&) = delete;

  /// Waits for all ranks if barriers ask for it. Collective.
  void meet() const;
  /// Like BarotropicSolver::solve(), with the same result on all ranks. Collective.
  Solved solve(const Stop& stop);

  /// Operator on the cells that this rank solves for.
  const BarotropicOperator& a() const { return a_; }

  /// Work of this rank in a stage.
  struct Amounts {
    std::int64_t operations = 0;
    std::size_t memory_bytes = 0;
    std::size_t sent_bytes = 0;
    std::size_t resident_bytes = 0;  // what its memory_bytes pass over again and again
  };
  /// For a solve of this many iterations.
  Amounts amounts(Stage stage, std::int64_t iterations) const;
  /// Over all stages of such a solve.
  std::int64_t operations(std::int64_t iterations) const;
  /// Bytes sent to other nodes in such a solve, at least.
  std::size_t off_node_bytes(std::span<const int> node_of_rank, std::int64_t iterations) const;

 private:
  struct Subset;

  std::size_t resident_bytes() const;
  void make_solver(const mpi::Communicator& ranks);
  void stage(Stage stage) const { parts_.on_stage(stage); }

  const SurfaceParts parts_;
  std::unique_ptr<Subset> subset_;  // null if all ranks solve
  BarotropicOperator a_;
  std::unique_ptr<Preconditioner> preconditioner_;  // null for the diagonal
  std::unique_ptr<GlobalSum> sum_;
  std::unique_ptr<BarotropicSolver> solver_;  // null on ranks that do not solve
  BlockVector& right_;                        // where this rank solves
  BlockVector& pressure_;
};

}  // namespace halocline::numerics
