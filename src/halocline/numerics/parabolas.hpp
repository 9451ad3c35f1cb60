#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace halocline::numerics {

// Parabolas through cell means in a row (Colella and Woodward 1984), limited to stay between their
// neighbours (Lin 2004, appendix B). Cells lie side by side in memory across the row: each function
// handles `length` rows at once.

/// Half the difference across a cell, limited by its neighbours.
inline void half_slopes(const double* before, const double* here, const double* after,
                        double* slopes, std::size_t length) {
  for (std::size_t k = 0; k < length; ++k) {
    const double slope = 0.25 * (after[k] - before[k]);
    const double above = std::max(before[k], after[k]) - here[k];
    const double below = here[k] - std::min(before[k], after[k]);
    const double allowed = std::max(0.0, std::min(above, below));
    slopes[k] = std::copysign(std::min(std::abs(slope), allowed), slope);
  }
}

/// Field values between two cells.
inline void edge_values(const double* before, const double* here, const double* slopes_before,
                        const double* slopes, double* edges, std::size_t length) {
  constexpr double third = 1.0 / 3;
  for (std::size_t k = 0; k < length; ++k) {
    edges[k] = 0.5 * (before[k] + here[k]) + third * (slopes_before[k] - slopes[k]);
  }
}

/// Deviations from a cell's mean at its two ends.
inline void limited_ends(const double* here, const double* slopes, const double* edges_before,
                         const double* edges_after, double* first, double* last,
                         std::size_t length) {
  for (std::size_t k = 0; k < length; ++k) {
    const double most = std::abs(2 * slopes[k]);
    const double below = std::min(most, std::abs(edges_before[k] - here[k]));
    const double above = std::min(most, std::abs(edges_after[k] - here[k]));
    first[k] = -std::copysign(below, slopes[k]);
    last[k] = std::copysign(above, slopes[k]);
  }
}

/// Mean over a share of a cell, at its end or at its beginning.
inline double mean_of_end(double mean, double first, double last, double share) {
  return mean + (1 - share) * (last - share * (first + last));
}
inline double mean_of_beginning(double mean, double first, double last, double share) {
  return mean + (1 - share) * (first - share * (first + last));
}

}  // namespace halocline::numerics
