#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "halocline/numerics/gyro_sharing.hpp"

namespace halocline::numerics {

/// Collisions that scatter particles in pitch angle: the Lorentz operator ν/2 d/dξ (1 - ξ²) d/dξ
/// over the cosine ξ of the pitch angle, in finite volumes of equal size. A Crank-Nicolson step
/// conserves the particles of each energy and never increases the sum of f².
class PitchCollisions {
 public:
  /// Slow particles collide more often: ν falls as energy^(-3/2).
  PitchCollisions(const GyroGrid& grid, double time_step);

  /// Steps values that are [energy][pitch angle][point].
  void step(std::complex<double>* values, layout::Index points) const;

  std::int64_t operations(layout::Index points) const;

 private:
  /// One equation of a tridiagonal system.
  struct Row {
    double exchanged;  // with the next pitch angle per step
    double pivot;
    double factor;  // of the next one's mean
  };

  void step_energy(const Row* rows, double* values, layout::Index width) const;

  layout::Index pitch_angles_;
  layout::Index energies_;
  std::vector<Row> rows_;  // [energy][pitch angle]
};

}  // namespace halocline::numerics
