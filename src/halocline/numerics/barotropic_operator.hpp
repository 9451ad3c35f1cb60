#pragma once

#include <cstdint>
#include <span>

#include "halocline/base/units.hpp"
#include "halocline/numerics/block_fields.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/ocean_mask.hpp"
#include "halocline/numerics/partial_sums.hpp"

namespace halocline::numerics {

/// POP's operator of the implicit free surface, nine points on a B grid, made symmetric positive
/// definite, for surface pressure over density (m²/s²): A p = TAREA/(2 α Δt² g) p - div(H grad p),
/// α = 1/3 (Smith et al. 2010, The Parallel Ocean Program reference manual, sections 4.4 and 5.2).
///
/// Kept as S = D^(-1/2) A D^(-1/2), D the diagonal of A, so that S has a unit diagonal: conjugate
/// gradients on S are those on A with the diagonal preconditioner, which so costs nothing. Vectors
/// of solvers are scaled alike: x = D^(1/2) p, and a residual of S is D^(-1/2) times that of A.
class BarotropicOperator {
 public:
  /// Depths are those of ocean_depth_m(). The fields must outlive it. Throws Error for NaN among
  /// the depths and for a time step that is not positive.
  BarotropicOperator(const DisplacedPoleGrid& grid, std::span<const float> depth_m,
                     Seconds time_step, const BlockFields& fields);

  const BlockFields& fields() const { return fields_; }

  /// result = S x; where `sums` are given also x · S x and x · x, as its sums 0 and 1. Ghost cells
  /// of x must be up to date.
  void apply(const BlockVector& x, BlockVector& result, PartialSums* sums = nullptr) const;
  /// result = right - S x.
  void residual(const BlockVector& right, const BlockVector& x, BlockVector& result) const;
  /// The squared norm of A's residual, of which `scaled` is S's, as sum 0.
  void squared_norm(const BlockVector& scaled, PartialSums& sums) const;
  /// The squared norm of TAREA, the areas of the ocean's cells in m², as sum 0: what tolerances are
  /// relative to.
  void squared_areas(PartialSums& sums) const;

  /// Multiplies by D^(1/2), or by D^(-1/2).
  void multiply_by_root(BlockVector& vector) const;
  void divide_by_root(BlockVector& vector) const;
  /// The same of ghost cells as well, for a vector that is known there.
  void multiply_by_root_with_ghosts(BlockVector& vector) const {
    for (std::size_t at = 0; at < vector.size(); ++at) {
      vector[at] *= root_[at];
    }
  }

  /// S's weights of the cells to the east, north, north-east and north-west; those of the others
  /// are theirs.
  struct Weights {
    BlockVector east;
    BlockVector north;
    BlockVector north_east;
    BlockVector north_west;
  };
  const Weights& weights() const { return weights_; }
  /// Whether this is an ocean cell, where a BlockVector has it.
  bool has_ocean(std::size_t at) const { return area_m2_[at] > 0; }

  /// Floating-point operations of apply() with its sums, on this rank's ocean.
  std::int64_t operations() const { return 20 * fields_.ocean_cells(); }
  /// Five vectors read, one written.
  std::size_t memory_bytes() const {
    return 6 * sizeof(double) * static_cast<std::size_t>(fields_.ocean_cells());
  }

 private:
  const BlockFields& fields_;
  Weights weights_;
  BlockVector root_;  // of the diagonal; 1 on land
  BlockVector area_m2_;
};

}  // namespace halocline::numerics
