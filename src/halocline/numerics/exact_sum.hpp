#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace halocline::numerics {

/// Sums of numbers that have the same bits in any order and in any parts: each number is cut into
/// slices that are whole multiples of fixed powers of 2^30, and these are added without rounding.
/// (Demmel and Nguyen 2013, Fast reproducible floating-point summation, with all bins kept.)
///
/// Exact for up to 2^22 numbers of 1e-73 to 1e69; what is smaller is cut off, the same wherever it
/// is added; what is larger, or not finite, makes the sum NaN. Needs arithmetic without
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
  /// Adds all of them; they are overwritten.
  static void add(std::span<double> numbers, std::span<double, bins> sum);
  /// The number that bins stand for, those of many ranks added up bin by bin among them.
  static double value(std::span<const double, bins> sum);
};

}  // namespace halocline::numerics
