#pragma once

#include <cstddef>

#include "halocline/numerics/ssor_rows.hpp"

namespace halocline::numerics {

// Compiled once per instruction set, like KernelsFor: nothing here may be shared with other files.
template <class Set>
struct SsorRowsFor {
  static void take_south(const SsorRow& row, double omega, const double* __restrict v,
                         double* __restrict middle) {
    const auto [x, east, north, north_east, north_west, s, length] = row;
    const double* __restrict south = x - s;
    for (std::ptrdiff_t k = 0; k < length; ++k) {
      middle[k] = v[k] - omega * (north[k - s] * south[k] + north_east[k - s - 1] * south[k - 1] +
                                  north_west[k - s + 1] * south[k + 1]);
    }
  }

  static void take_south_from_both(const SsorRow& row, double omega, const double* __restrict v,
                                   const double* __restrict other, double* __restrict middle) {
    const auto [x, east, north, north_east, north_west, s, length] = row;
    const double* __restrict south = x - s;
    for (std::ptrdiff_t k = 0; k < length; ++k) {
      middle[k] = v[k] + (omega - 2) * other[k] -
                  omega * (north[k - s] * south[k] + north_east[k - s - 1] * south[k - 1] +
                           north_west[k - s + 1] * south[k + 1]);
    }
  }

  static void add_north(const SsorRow& row, double factor, const double* __restrict v,
                        double* __restrict middle) {
    const auto [x, east, north, north_east, north_west, s, length] = row;
    const double* __restrict above = x + s;
    for (std::ptrdiff_t k = 0; k < length; ++k) {
      middle[k] = v[k] + factor * (north[k] * above[k] + north_east[k] * above[k + 1] +
                                   north_west[k] * above[k - 1]);
    }
  }

  static void end(const SsorRow& row, const double* __restrict factors, double* __restrict middle) {
    double* __restrict x = row.x;
    const double* __restrict east = row.east;
    middle[-1] = 0;  // land or another block
    middle[row.length] = 0;
    for (std::ptrdiff_t k = 0; k < row.length; ++k) {
      x[k] = middle[k] + factors[k] * (east[k - 1] * middle[k - 1] + east[k] * middle[k + 1]);
    }
  }

  static void add_and_divide(const SsorRow& row, double omega, const double* __restrict other) {
    double* __restrict x = row.x;
    const double share = 1 / omega;
    for (std::ptrdiff_t k = 0; k < row.length; ++k) {
      x[k] = share * (other[k] + x[k]);
    }
  }

  static void add_and_divide_with_sums(const SsorRow& row, double omega,
                                       const double* __restrict other, const double* __restrict v,
                                       double* __restrict products, double* __restrict squares) {
    double* __restrict x = row.x;
    const double share = 1 / omega;
    for (std::ptrdiff_t k = 0; k < row.length; ++k) {
      const double here = share * (other[k] + x[k]);
      x[k] = here;
      products[k] += v[k] * here;
      squares[k] += v[k] * v[k];
    }
  }

  static void take_from(const SsorRow& row, double omega, const double* __restrict other,
                        const double* __restrict right) {
    double* __restrict x = row.x;
    const double share = 1 / omega;
    for (std::ptrdiff_t k = 0; k < row.length; ++k) {
      x[k] = right[k] - share * (other[k] + x[k]);
    }
  }

  static constexpr SsorRows table{.take_south = take_south,
                                  .take_south_from_both = take_south_from_both,
                                  .add_north = add_north,
                                  .end = end,
                                  .add_and_divide = add_and_divide,
                                  .add_and_divide_with_sums = add_and_divide_with_sums,
                                  .take_from = take_from};
};

}  // namespace halocline::numerics
