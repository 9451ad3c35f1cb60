#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/numerics/preconditioner.hpp"

namespace halocline::numerics {

/// Inverse of the operator on squares of 8 x 8 cells, each on its own, by error vector propagation
/// (Roache 1995), as Hu et al. 2015 use it for POP.
///
/// Given a guess of a square's first row and column, each equation yields the cell to its
/// north-east. The equations of the last row and column are left over. Their error is linear in the
/// guess, so a small matrix, inverted beforehand, corrects the guess. POP turns land into a shallow
/// ocean so that no north-east weight is zero. Here, where a weight is zero or small, that cell is
/// guessed too and its equation left over: the inverse is that of the true coasts, to rounding.
///
/// Squares begin at a block's corner: bits do not depend on blocks that begin at multiples of 8.
class BlockEvp final : public Preconditioner {
 public:
  explicit BlockEvp(const BarotropicOperator& a);

  void apply(const BlockVector& residual, BlockVector& result) const override;
  std::int64_t operations() const override { return operations_; }
  std::size_t memory_bytes() const override { return memory_bytes_; }
  std::size_t own_bytes() const override {
    return (weights_.size() + follows_.size() + inverse_influences_.size()) * sizeof(double);
  }

 private:
  struct Square {
    std::size_t at;  // index of its first cell in a BlockVector
    std::ptrdiff_t row_stride;
    std::uint8_t columns;  // up to 8
    std::uint8_t rows;
  };
  /// Squares solved together, and the offsets of their data.
  struct Batch {
    std::size_t weights;
    std::size_t follows;  // nowhere: all squares are whole
    std::size_t inverse_influence;
    std::size_t guesses;
    int guess_count;
  };
  struct System;

  void add(std::span<const System> side_by_side);

  std::vector<Square> squares_;  // four per batch, padded with squares without rows
  std::vector<Batch> batches_;
  LargeVector<double> weights_;
  LargeVector<double> follows_;
  LargeVector<double> inverse_influences_;
  std::vector<std::uint8_t> guesses_;
  std::vector<std::uint8_t> left_over_;
  std::int64_t operations_ = 0;
  std::size_t memory_bytes_ = 0;
};

}  // namespace halocline::numerics
