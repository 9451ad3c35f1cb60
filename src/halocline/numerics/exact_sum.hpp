#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace halocline::numerics {

/// Sums with the same bits for any order and any partition of the numbers. Each number is cut into
/// slices that are whole multiples of fixed powers of 2^30, and slices are added without rounding
/// (Demmel and Nguyen 2013, Fast reproducible floating-point summation, with all bins kept).
///
/// Exact for up to 2^22 numbers of 1e-73 to 1e69. Smaller parts are cut off, the same wherever they
/// are added. Larger or non-finite numbers make the sum NaN. Needs arithmetic without
/// value-changing optimisation (-ffast-math).
class ExactSum {
 public:
  static constexpr std::size_t bins = 16;
  using Bins = std::array<double, bins>;

  static void clear(std::span<double, bins> sum) {
    for (double& bin : sum) {
      bin = 0;
    }
  }
  /// Adds all numbers and overwrites them.
  static void add(std::span<double> numbers, std::span<double, bins> sum);
  /// The sum that the bins represent. Bins of many ranks may be added up first, bin by bin.
  static double value(std::span<const double, bins> sum);
};

}  // namespace halocline::numerics
