#pragma once

#include <cstddef>

namespace halocline::numerics {

/// Cells of a row, located in a vector and in the operator's weights.
template <class Value>
struct StencilRow {
  Value* x;
  const double* east;
  const double* north;
  const double* north_east;
  const double* north_west;
  std::ptrdiff_t stride;
  std::ptrdiff_t length;
};

/// Products of the operator's nine points with a row. Results overlap none of what is read.
struct StencilRows {
  /// result = S x.
  void (*apply)(const StencilRow<const double>& row, double* result);
  /// Same; also adds x × S x to products and x × x to squares.
  void (*apply_with_sums)(const StencilRow<const double>& row, double* result, double* products,
                          double* squares);
  /// result = right - S x.
  void (*residual)(const StencilRow<const double>& row, const double* right, double* result);
};

/// Those with the best instructions that this processor has.
const StencilRows& stencil_rows();

}  // namespace halocline::numerics
