#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace halocline::numerics {

/// The matrix product of OpenBLAS on one thread. The library is found when the program runs, so
/// that no build needs it.
class OpenBlas {
 public:
  /// Loads the library from this file, or the system's if none is named. Throws Error if there is
  /// none, or one that cannot be used.
  explicit OpenBlas(const std::string& file);

  /// The product of two square matrices of n rows each, one row after the other.
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
