#include "halocline/measure/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace halocline::measure {

double half_width_relative(std::span<const double> values) {
  constexpr std::size_t fewest = 6;
  constexpr double normal_quantile = 1.959964;
  const std::size_t count = values.size();
  if (count < fewest) {
    return std::numeric_limits<double>::infinity();
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  // Ranks n/2 ± z·√n/2 of the sorted values (binomial, normal approximation).
  const double centre = static_cast<double>(count) / 2.0;
  const double spread = normal_quantile * std::sqrt(static_cast<double>(count)) / 2.0;
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(centre - spread)));
  const auto high = std::min(count - 1, static_cast<std::size_t>(std::ceil(centre + spread)));
  const double median = sorted[count / 2];
  return median > 0 ? (sorted[high] - sorted[low]) / 2.0 / median
                    : std::numeric_limits<double>::infinity();
}

}  // namespace halocline::measure
