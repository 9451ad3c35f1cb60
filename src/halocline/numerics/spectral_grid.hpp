#pragma once

#include <cstdint>
#include <vector>

#include "halocline/numerics/gaussian.hpp"

namespace halocline::numerics {

/// A triangular truncation and the Gaussian grid that keeps products of two fields free of
/// aliasing: at least 3T+1 longitudes, (3T+1)/2 latitudes.
struct SpectralGrid {
  /// Grid for this truncation. Throws UsageError if there is none.
  static SpectralGrid of(int truncation);
  /// The truncations that have one.
  static std::vector<std::int64_t> truncations();

  int truncation;
  int longitudes;
  int latitude_pairs;  // a northern latitude and its mirror
  GaussianRows rows;   // northern latitudes
};

}  // namespace halocline::numerics
