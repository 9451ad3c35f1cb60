#pragma once

#include <cstdint>
#include <span>

#include "halocline/base/units.hpp"
#include "halocline/numerics/block_fields.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/ocean_mask.hpp"
#include "halocline/numerics/partial_sums.hpp"
#include "halocline/numerics/stencil_rows.hpp"

namespace halocline::numerics {

/// POP's operator for the implicit free surface: nine points on a B grid, made symmetric positive
/// definite, for surface pressure over density (m²/s²): A p = TAREA/(2 α Δt² g) p - div(H grad p),
/// α = 1/3 (Smith et al. 2010, The Parallel Ocean Program reference manual, sections 4.4 and 5.2).
///
/// Stored as S = D^(-1/2) A D^(-1/2), D the diagonal of A. S has a unit diagonal, so conjugate
/// gradients on S are those on A with the diagonal preconditioner, which thus costs nothing.
/// Vectors are scaled alike: x = D^(1/2) p, and a residual of S is D^(-1/2) times that of A.
class BarotropicOperator {
 public:
  static constexpr double alpha = 1.0 / 3;

  /// Expects the depths of ocean_depth_m(). The fields must outlive it. Throws Error if a depth is
  /// NaN or the time step is not positive.
  BarotropicOperator(const DisplacedPoleGrid& grid, std::span<const float> depth_m,
                     Seconds time_step, const BlockFields& fields);

  const BlockFields& fields() const { return fields_; }

  /// result = S x. If `sums` is given, also computes x · S x and x · x, as sums 0 and 1. Ghost
  /// cells of x must be up to date.
  void apply(const BlockVector& x, BlockVector& result, PartialSums* sums = nullptr) const;
  /// result = right - S x.
  void residual(const BlockVector& right, const BlockVector& x, BlockVector& result) const;
  /// Squared norm of A's residual as sum 0; `scaled` is the residual of S.
  void squared_norm(const BlockVector& scaled, PartialSums& sums) const;
  /// Squared norm of TAREA, the areas of ocean cells in m², as sum 0. Tolerances are relative to
  /// this norm.
  void squared_areas(PartialSums& sums) const;

  /// Multiply by D^(1/2), or by D^(-1/2).
  void multiply_by_root(BlockVector& vector) const;
  void divide_by_root(BlockVector& vector) const;
  /// Like multiply_by_root(), with ghost cells, for a vector that is known there.
  void multiply_by_root_with_ghosts(BlockVector& vector) const {
    for (std::size_t at = 0; at < vector.size(); ++at) {
      vector[at] *= root_[at];
    }
  }

  /// Weights of S for the neighbours to the east, north, north-east and north-west. By symmetry
  /// these neighbours store the other four.
  struct Weights {
    BlockVector east;
    BlockVector north;
    BlockVector north_east;
    BlockVector north_west;
  };
  const Weights& weights() const { return weights_; }
  /// Where the cells of a run lie in a vector that begins at `vector`, and in the weights.
  template <class Value>
  StencilRow<Value> row_of(Value* vector, const Strip& strip, const Run& run) const {
    return {.x = vector + run.at,
            .east = weights_.east.data() + run.at,
            .north = weights_.north.data() + run.at,
            .north_east = weights_.north_east.data() + run.at,
            .north_west = weights_.north_west.data() + run.at,
            .stride = strip.row_stride,
            .length = run.length};
  }
  /// Whether this index of a BlockVector is an ocean cell.
  bool has_ocean(std::size_t at) const { return area_m2_[at] > 0; }

  /// Floating-point operations of apply() with sums, on this rank's ocean cells.
  std::int64_t operations() const { return 20 * fields_.ocean_cells(); }
  /// Memory traffic of apply(): five vectors read, one written.
  std::size_t memory_bytes() const {
    return 6 * sizeof(double) * static_cast<std::size_t>(fields_.ocean_cells());
  }
  std::size_t weights_bytes() const {
    return 4 * sizeof(double) * static_cast<std::size_t>(fields_.ocean_cells());
  }

 private:
  const BlockFields& fields_;
  Weights weights_;
  BlockVector root_;  // square root of the diagonal; 1 on land
  BlockVector area_m2_;
};

}  // namespace halocline::numerics
