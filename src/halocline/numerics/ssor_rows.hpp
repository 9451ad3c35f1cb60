#pragma once

#include "halocline/numerics/stencil_rows.hpp"

namespace halocline::numerics {

using SsorRow = StencilRow<double>;

/// Loops over a row. `middle` is a buffer with room for a cell before and one after the row.
struct SsorRows {
  /// middle = v - omega × the contribution of the row to the south in x.
  void (*take_south)(const SsorRow& row, double omega, const double* v, double* middle);
  /// middle = v + (omega - 2) other - omega × the same.
  void (*take_south_from_both)(const SsorRow& row, double omega, const double* v,
                               const double* other, double* middle);
  /// middle = v + factor × the contribution of the row to the north in x.
  void (*add_north)(const SsorRow& row, double factor, const double* v, double* middle);
  /// x = middle + factors × the contribution of the row neighbours. Of two neighbours one has the
  /// factor 0: vectorised, that takes less time than every second cell alone.
  void (*end)(const SsorRow& row, const double* factors, double* middle);
  /// x = (other + x) / omega.
  void (*add_and_divide)(const SsorRow& row, double omega, const double* other);
  /// Same; also adds v × x to products and v × v to squares.
  void (*add_and_divide_with_sums)(const SsorRow& row, double omega, const double* other,
                                   const double* v, double* products, double* squares);
  /// x = right - (other + x) / omega.
  void (*take_from)(const SsorRow& row, double omega, const double* other, const double* right);
};

/// Those with the best instructions that this processor has.
const SsorRows& ssor_rows();

}  // namespace halocline::numerics
