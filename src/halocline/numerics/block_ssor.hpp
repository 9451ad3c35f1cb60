#pragma once

#include "halocline/numerics/preconditioner.hpp"

namespace halocline::numerics {

/// Symmetric successive over-relaxation on each block separately. Within a block S = I + L + Lᵀ,
/// where L couples a cell to those before it, and M = (I + ωL) (I + ωLᵀ).
///
/// Rows go from south to north. In each row the even cells come before the odd ones, so that no
/// cell waits for its neighbour. Bits depend on the blocks, not on their owners.
class BlockSsor final : public Preconditioner {
 public:
  explicit BlockSsor(const BarotropicOperator& a) : a_(a) {}

  void apply(const BlockVector& residual, BlockVector& result) const override;
  std::int64_t operations() const override { return 19 * a_.fields().ocean_cells(); }
  /// Each sweep reads the weights and a vector, and writes one.
  std::size_t memory_bytes() const override {
    return 12 * sizeof(double) * static_cast<std::size_t>(a_.fields().ocean_cells());
  }

 private:
  const BarotropicOperator& a_;
};

}  // namespace halocline::numerics
