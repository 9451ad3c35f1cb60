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
/// Terms are added column by column over the rows of a strip; then eight columns, a unit, to one
/// number. Units are added plainly, or exactly, so that the result has the same bits however units
/// are dealt to blocks and ranks.
class PartialSums {
 public:
  PartialSums(layout::Index widest, std::size_t count, Summation summation);

  void clear();
  /// A number for each column of the strip that is being added up, of this sum.
  double* columns(std::size_t sum) { return columns_.data() + sum * stride_; }
  /// Takes what was added to these columns, the first a multiple of eight, and zeroes them.
  void end_strip(layout::Index first_column, layout::Index end_column);

  /// What ranks add up number by number, in place.
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
