#include "halocline/numerics/gyro_start.hpp"

#include <cmath>
#include <numbers>

#include "halocline/base/pattern.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

// Squares of the ratio of gyration radius to longest wavelength, for ions and for electrons.
constexpr double ion_gyration = 0.05;
constexpr double electron_gyration = ion_gyration / 3600;

double square(Index number) { return static_cast<double>(number) * static_cast<double>(number); }

}  // namespace

/// Draws from the unit circle; 1 or -1 where a real function allows nothing else.
GyroStart::Complex GyroStart::drawn(const GyroPoint& point, std::uint64_t what) const {
  const bool opposite = point.mode < 0 || (point.mode == 0 && point.wave < 0);
  const Index mode = opposite ? -point.mode : point.mode;
  const Index wave = opposite ? -point.wave : point.wave;
  auto word = static_cast<std::uint64_t>(point.pair * grid_.orbit_points + point.orbit_point);
  word = word * static_cast<std::uint64_t>(grid_.modes) + static_cast<std::uint64_t>(mode);
  word = word * static_cast<std::uint64_t>(2 * grid_.radii) +
         static_cast<std::uint64_t>(wave + grid_.radii);
  constexpr unsigned unused_bits = 11;
  constexpr double fraction = 0x1p-53;
  const double turn =
      static_cast<double>(pattern_word(seed_ * 4 + what, word) >> unused_bits) * fraction;
  if (mode == 0 && wave == 0) {
    return turn < 0.5 ? 1 : -1;
  }
  const double angle = 2 * std::numbers::pi * turn;
  return {std::cos(angle), opposite ? -std::sin(angle) : std::sin(angle)};
}

GyroStart::Complex GyroStart::distribution(const GyroPoint& point) const {
  const double amplitude = 1 / (1 + square(point.wave) + square(point.mode));
  return amplitude * drawn(point, 1 + static_cast<std::uint64_t>(species_));
}

GyroStart::Complex GyroStart::potential(const GyroPoint& point) const {
  const double waves = square(point.wave) + square(point.mode);
  const Index angle = point.pair % grid_.pitch_angles;
  const Index energy = point.pair / grid_.pitch_angles;
  const double cosine =
      -1 + (2 * static_cast<double>(angle) + 1) / static_cast<double>(grid_.pitch_angles);
  const double across = (static_cast<double>(energy) + 0.5) / static_cast<double>(grid_.energies) *
                        (1 - cosine * cosine);
  const double gyration = species_ == 0 ? ion_gyration : electron_gyration;
  GyroPoint of_all_pairs = point;
  of_all_pairs.pair = 0;
  return drawn(of_all_pairs, 0) / ((1 + waves) * (1 + waves) * (1 + gyration * across * waves));
}

double GyroStart::time_step() const {
  // In the plane, the potential's gradients sum to less than 10.
  constexpr double speed = 10;
  return 1 / (2 * speed * static_cast<double>(grid_.highest_wave() + grid_.modes));
}

}  // namespace halocline::numerics
