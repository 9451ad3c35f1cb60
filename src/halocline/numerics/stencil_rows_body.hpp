#pragma once

#include <cstddef>

#include "halocline/numerics/stencil_rows.hpp"

namespace halocline::numerics {

// Compiled once per instruction set, like KernelsFor: nothing here may be shared with other files.
template <class Set>
struct StencilRowsFor {
  using Row = StencilRow<const double>;

  [[gnu::always_inline]] static double at(const Row& row, std::ptrdiff_t k) {
    const auto [x, east, north, north_east, north_west, s, length] = row;
    return x[k] + (east[k] * x[k + 1] + east[k - 1] * x[k - 1]) +
           (north[k] * x[k + s] + north[k - s] * x[k - s]) +
           (north_east[k] * x[k + s + 1] + north_east[k - s - 1] * x[k - s - 1]) +
           (north_west[k] * x[k + s - 1] + north_west[k - s + 1] * x[k - s + 1]);
  }

  // Callers promise that results overlap nothing; GCC would not vectorise all loops without.
  static void apply(const Row& row, double* result) {
    const Row here = row;
#pragma GCC ivdep
    for (std::ptrdiff_t k = 0; k < here.length; ++k) {
      result[k] = at(here, k);
    }
  }

  static void apply_with_sums(const Row& row, double* result, double* products, double* squares) {
    const Row here = row;
#pragma GCC ivdep
    for (std::ptrdiff_t k = 0; k < here.length; ++k) {
      const double image = at(here, k);
      const double x = here.x[k];
      result[k] = image;
      products[k] += x * image;
      squares[k] += x * x;
    }
  }

  static void residual(const Row& row, const double* right, double* result) {
    const Row here = row;
#pragma GCC ivdep
    for (std::ptrdiff_t k = 0; k < here.length; ++k) {
      result[k] = right[k] - at(here, k);
    }
  }

  static constexpr StencilRows table{
      .apply = apply, .apply_with_sums = apply_with_sums, .residual = residual};
};

}  // namespace halocline::numerics
