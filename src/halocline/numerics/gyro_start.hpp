#pragma once

#include <complex>
#include <cstdint>

#include "halocline/numerics/gyro_sharing.hpp"

namespace halocline::numerics {

/// Position of a coefficient.
struct GyroPoint {
  layout::Index mode;
  layout::Index wave;
  layout::Index pair;
  layout::Index orbit_point;
};

/// Coefficients of real functions, defined by a seed: every rank knows each without a message.
/// Phases are random; amplitudes fall with the wavenumbers.
class GyroStart {
 public:
  using Complex = std::complex<double>;

  GyroStart(const GyroGrid& grid, std::uint64_t seed, int species)
      : grid_(grid), seed_(seed), species_(species) {}

  /// Modes and wavenumbers may be negative: the conjugate of their opposites.
  Complex distribution(const GyroPoint& point) const;
  /// Potential that a particle feels along its gyration: weaker where it varies within that.
  Complex potential(const GyroPoint& point) const;

  /// Time step for explicit methods: half of what the potential allows.
  double time_step() const;

 private:
  Complex drawn(const GyroPoint& point, std::uint64_t what) const;

  GyroGrid grid_;
  std::uint64_t seed_;
  int species_;
};

}  // namespace halocline::numerics
