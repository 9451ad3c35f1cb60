#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "halocline/numerics/barotropic_operator.hpp"

namespace halocline::numerics {

class BlockSsor;

/// Approximate inverse of the scaled operator, symmetric and positive definite, on this rank's
/// cells alone.
class Preconditioner {
 public:
  Preconditioner() = default;
  virtual ~Preconditioner() = default;
  Preconditioner(const Preconditioner&) = delete;
  Preconditioner& operator=(const Preconditioner&) = delete;

  /// Ignores ghost cells of `residual`; may overwrite those of `result`.
  virtual void apply(const BlockVector& residual, BlockVector& result) const = 0;

  /// Its factors, where solvers iterate between them instead of applying it. Null: it has none.
  virtual const BlockSsor* factors() const { return nullptr; }

  /// Floating-point operations on this rank, and bytes that it reads or writes: of apply(), or, if
  /// it has factors, of a product between them.
  virtual std::int64_t operations() const = 0;
  virtual std::size_t memory_bytes() const = 0;
  /// What it passes over in addition to the operator's weights and the solver's vectors.
  virtual std::size_t own_bytes() const = 0;

  /// The names are:
  /// - diagonal: none, null, because the operator is scaled to a unit diagonal;
  /// - block_ssor: BlockSsor;
  /// - block_evp: BlockEvp.
  /// The operator must outlive it. Throws Error for any other name.
  static std::unique_ptr<Preconditioner> named(std::string_view name, const BarotropicOperator& a);
};

}  // namespace halocline::numerics
