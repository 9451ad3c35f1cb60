#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace halocline::numerics {

/// Matrix product of OpenBLAS on one thread. The library is loaded at run time, so that no build
/// needs it.
class OpenBlas {
 public:
  /// Loads this file, or the system's library if none is named. Throws Error if it is missing or
  /// unusable.
  explicit OpenBlas(const std::string& file);

  /// Product of two square matrices of n rows each, stored row by row.
  void multiply(std::span<const double> left, std::span<const double> right,
                std::span<double> product, int n) const;

 private:
  using Product = void (*)(int layout, int transpose_left, int transpose_right, int rows,
                           int columns, int inner, double factor, const double* left,
                           int left_stride, const double* right, int right_stride,
                           double product_factor, double* product, int product_stride);

  Product product_;
};

}  // namespace halocline::numerics
