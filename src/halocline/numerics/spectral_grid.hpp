#pragma once

#include "halocline/numerics/gaussian.hpp"

namespace halocline::numerics {

/// A triangular truncation and the Gaussian grid on which products of two fields are free of
/// aliasing: at least 3T+1 longitudes, (3T+1)/2 latitudes.
struct SpectralGrid {
  /// The grid that goes with this truncation; throws UsageError for one that has none.
  static SpectralGrid of(int truncation);

  int truncation;
  int longitudes;
  int latitude_pairs;  // a northern latitude and its mirror
  GaussianRows rows;   // of the northern latitudes
};

}  // namespace halocline::numerics
