#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halocline/layout/box.hpp"
#include "halocline/numerics/exact_sum.hpp"

namespace halocline::numerics {

enum class Summation { plain, reproducible };

/// This rank's part of sums over all cells, and the numbers that ranks add up for them.
///
/// Terms add up column by column over the rows of a strip; then each unit of eight columns adds up
/// to one number. Units are added plainly or exactly. Exact sums have the same bits however units
/// are distributed over blocks and ranks.
class PartialSums {
 public:
  PartialSums(layout::Index widest, std::size_t count, Summation summation);

  void clear();
  /// Accumulators of this sum, one per column of the current strip.
  double* columns(std::size_t sum) { return columns_.data() + sum * stride_; }
  /// Adds up these columns and zeroes them. The first is a multiple of eight.
  void end_strip(layout::Index first_column, layout::Index end_column);

  /// What ranks add up, number by number, in place.
  std::span<double> numbers() { return numbers_; }
  double value(std::size_t sum) const;

 private:
  std::size_t stride_;
  Summation summation_;
  std::vector<double> columns_;
  std::vector<double> units_;
  std::vector<double> numbers_;
};

}  // namespace halocline::numerics
