#pragma once

#include <cstddef>

#include "halocline/numerics/block_fields.hpp"
#include "halocline/numerics/partial_sums.hpp"

namespace halocline::numerics {

/// Calls row(strip, run) over all ocean cells. row() adds to the columns of `sums`, whose strips
/// are ended here.
template <class Row>
void for_each_run(const BlockFields& fields, PartialSums* sums, Row row) {
  if (sums != nullptr) {
    sums->clear();
  }
  for (const Strip& strip : fields.strips()) {
    for (const Run& run : strip.runs) {
      row(strip, run);
    }
    if (sums != nullptr) {
      sums->end_strip(strip.first_column, strip.end_column);
    }
  }
}

/// sums += one · other, over a run.
inline void add_products(const double* __restrict one, const double* __restrict other,
                         double* __restrict sums, std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    sums[k] += one[k] * other[k];
  }
}

/// sums += one · one.
inline void add_squares(const double* __restrict one, double* __restrict sums,
                        std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    sums[k] += one[k] * one[k];
  }
}

/// vector += factor × other.
inline void add_scaled(double* __restrict vector, double factor, const double* __restrict other,
                       std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    vector[k] += factor * other[k];
  }
}

/// vector = other + factor × vector.
inline void scale_and_add(double* __restrict vector, double factor, const double* __restrict other,
                          std::ptrdiff_t length) {
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    vector[k] = other[k] + factor * vector[k];
  }
}

}  // namespace halocline::numerics
