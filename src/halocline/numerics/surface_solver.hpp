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

/// Where ranks meet, so that waiting for the last of them is not taken for what follows.
enum class Barriers {
  none,
  solve,  // before the ocean's surface is solved for
  sums    // there and before each global sum
};

/// "none", "solve" or "sums". Throws Error for another name.
Barriers barriers_named(std::string_view name);

/// So many of all ranks, as far apart as they can be: as many of each node. The first is rank 0.
std::vector<int> spread_ranks(int chosen, int all);

/// How an ocean's surface is solved for.
struct SurfaceMethod {
  std::string_view solver;
  std::string_view preconditioner = "diagonal";
  std::string_view sum = "flat";
  Summation summation = Summation::plain;
  Barriers barriers = Barriers::none;
  /// Of the ranks that solve: as many as it has owners, spread over all. None: all ranks solve,
  /// each in the ocean's blocks.
  std::optional<layout::Blocks> blocks = std::nullopt;
};

/// Who solves for the ocean's surface; all of it must outlive the solver.
struct SurfaceParts {
  const DisplacedPoleGrid& grid;
  std::span<const float> depth_m;  // read while the solver is made
  Seconds time_step;               // of the operator
  const BlockFields& fields;       // the ocean's, on all ranks
  SurfaceMethod method;
  const mpi::Communicator& ranks;
  bundle::Way way;
  std::function<void(Stage)> on_stage = [](Stage /*stage*/) {};
};

/// The barotropic phase of an ocean: solves A p = b for the surface's pressure p on all its ranks,
/// or on some, to which b and the first guess travel and from which the solution returns.
class SurfaceSolver {
 public:
  /// `right` and `pressure` are the ocean's b and p. Collective. Throws Skip on all ranks where
  /// they cannot exchange or add up as asked.
  SurfaceSolver(const SurfaceParts& parts, BlockVector& right, BlockVector& pressure);
  ~SurfaceSolver();
  SurfaceSolver(const SurfaceSolver&) = delete;
  SurfaceSolver& operator=(const SurfaceSolver&) = delete;

  /// Waits for all ranks, where barriers ask for it. Collective.
  void meet() const;
  /// As BarotropicSolver::solve(), with the same result on all ranks. Collective.
  Solved solve(const Stop& stop);

  /// Of the cells that this rank solves for.
  const BarotropicOperator& a() const { return a_; }

  /// What this rank does in a stage.
  struct Amounts {
    std::int64_t operations = 0;
    std::size_t memory_bytes = 0;
    std::size_t sent_bytes = 0;
  };
  /// In a solve of so many iterations.
  Amounts amounts(Stage stage, std::int64_t iterations) const;
  /// Of all stages of such a solve.
  std::int64_t operations(std::int64_t iterations) const;
  /// Sent to other nodes in such a solve, at least.
  std::size_t off_node_bytes(std::span<const int> node_of_rank, std::int64_t iterations) const;

 private:
  struct Subset;

  void make_solver(const mpi::Communicator& ranks);
  void stage(Stage stage) const { parts_.on_stage(stage); }

  const SurfaceParts parts_;
  std::unique_ptr<Subset> subset_;  // null where all ranks solve
  BarotropicOperator a_;
  std::unique_ptr<Preconditioner> preconditioner_;  // null for the diagonal's
  std::unique_ptr<GlobalSum> sum_;
  std::unique_ptr<BarotropicSolver> solver_;  // null on a rank that does not solve
  BlockVector& right_;                        // where this rank solves
  BlockVector& pressure_;
};

}  // namespace halocline::numerics
