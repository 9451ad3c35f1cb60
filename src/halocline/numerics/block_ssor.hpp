#pragma once

#include <vector>

#include "halocline/numerics/preconditioner.hpp"

namespace halocline::numerics {

/// Symmetric successive over-relaxation on each block separately. Within a block S = I + L + Lᵀ,
/// where L couples a cell to those before it, and M = E Eᵀ with E = I + ωL.
///
/// Rows go from south to north. In each row the even cells come before the odd ones, so that no
/// cell waits for its neighbour. Bits depend on the blocks, not on their owners.
///
/// Solvers iterate on E⁻¹ S E⁻ᵀ, whose product takes two sweeps of half of S each (Eisenstat 1981).
/// With C for what couples blocks, ωS = E + Eᵀ + (ω - 2) I + ωC, so that for x = E⁻ᵀ v
/// E⁻¹ S E⁻ᵀ v = (x + E⁻¹ (v + (ω - 2) x + ωC x)) / ω.
class BlockSsor final : public Preconditioner {
 public:
  explicit BlockSsor(const BarotropicOperator& a);

  /// What the factors amount to; solvers use them instead.
  void apply(const BlockVector& residual, BlockVector& result) const override;
  const BlockSsor* factors() const override { return this; }
  std::int64_t operations() const override { return 27 * a_.fields().ocean_cells(); }
  /// Each sweep reads the weights and writes a vector; one reads a vector, the other two.
  std::size_t memory_bytes() const override {
    return 13 * sizeof(double) * static_cast<std::size_t>(a_.fields().ocean_cells());
  }
  /// E⁻ᵀ v, which solvers keep next to v.
  std::size_t own_bytes() const override {
    return sizeof(double) * static_cast<std::size_t>(a_.fields().ocean_cells());
  }

  /// x = E⁻¹ v, and x = E⁻ᵀ v. Ghost cells of v are ignored, those of x become 0.
  void divide_by_lower(const BlockVector& v, BlockVector& x) const;
  void divide_by_upper(const BlockVector& v, BlockVector& x) const;
  /// x = Eᵀ x; ghost cells of x become 0.
  void multiply_by_upper(BlockVector& x) const;

  /// result = E⁻¹ S E⁻ᵀ v, from x = E⁻ᵀ v with ghost cells up to date. If `sums` is given, also
  /// computes v · result and v · v, as sums 0 and 1.
  void multiply(const BlockVector& v, const BlockVector& x, BlockVector& result,
                PartialSums* sums) const;
  /// result = right - E⁻¹ S E⁻ᵀ v.
  void residual(const BlockVector& right, const BlockVector& v, const BlockVector& x,
                BlockVector& result) const;

 private:
  /// A cell at a block's edge and a ghost cell that it is coupled to.
  struct Edge {
    std::size_t cell;
    std::size_t ghost;
    double weight;  // times ω
  };

  template <class Finish>
  void sweep_between(const BlockVector& v, const BlockVector& x, BlockVector& result,
                     Finish finish) const;

  const BarotropicOperator& a_;
  std::vector<double> alternating_;  // 0, -ω, 0, …: of the cells that take from row neighbours
  std::vector<Edge> edges_;          // in order of their cells
};

}  // namespace halocline::numerics
