#include "halocline/numerics/exact_sum.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace halocline::numerics {
namespace {

constexpr int bits = 30;    // per slice
constexpr int lowest = -8;  // exponent of bin 0, over 30
constexpr int bits_of_double = 52;

double quantum(std::size_t bin) { return std::ldexp(1.0, bits * (static_cast<int>(bin) + lowest)); }

double largest_of(std::span<const double> numbers) {
  double largest = 0;
  double check = 0;  // NaN if any number is not finite: a maximum would miss it
  for (const double number : numbers) {
    const double size = std::abs(number);
    largest = size > largest ? size : largest;
    check += number * 0;
  }
  return check == 0 ? largest : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void ExactSum::add(std::span<double> numbers, std::span<double, bins> sum) {
  const double largest = largest_of(numbers);
  if (largest == 0) {
    return;
  }
  if (std::isnan(largest)) {
    sum[bins - 1] = largest;
    return;
  }
  // The largest is below half a quantum of the next bin, where every slice is thus 0: each number
  // is cut in the same way whichever others are added with it.
  int exponent = 0;
  std::frexp(largest, &exponent);
  const int above_lowest = exponent + 1 - lowest * bits;
  int bin = above_lowest < 0 ? -1 : above_lowest / bits;
  if (std::cmp_greater_equal(bin, bins)) {
    sum[bins - 1] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  for (; bin >= 0; --bin) {
    // Adding and subtracting it leaves a multiple of the quantum.
    const double rounder = 1.5 * std::ldexp(quantum(static_cast<std::size_t>(bin)), bits_of_double);
    double slices = 0;
    double left = 0;
    for (double& number : numbers) {
      const double slice = (number + rounder) - rounder;
      slices += slice;
      number -= slice;
      left += std::abs(number);
    }
    sum[static_cast<std::size_t>(bin)] += slices;
    if (left == 0) {
      break;
    }
  }
}

double ExactSum::value(std::span<const double, bins> sum) {
  double value = 0;
  for (std::size_t bin = bins; bin-- > 0;) {
    value += sum[bin];
  }
  return value;
}

}  // namespace halocline::numerics
