#pragma once

#include <array>
#include <cstddef>

namespace halocline::numerics {

/// Number of columns whose physics is computed at a time, side by side in memory.
inline constexpr std::size_t column_lanes = 8;

/// One number per column.
using Lanes = std::array<double, column_lanes>;

/// Optical properties of a layer.
struct LayerOptics {
  Lanes depth;      // optical
  Lanes scattered;  // share of extinction that scatters, below 1
  Lanes asymmetry;  // of the scattering: 0 if as much goes forward as back
};

/// What a layer does with light, as fractions of the incoming light.
struct LayerLight {
  Lanes direct;               // of direct sunlight, passes unscattered
  Lanes reflected;            // of direct sunlight
  Lanes transmitted;          // of direct sunlight, unscattered part included
  Lanes diffuse_reflected;    // of diffuse light
  Lanes diffuse_transmitted;  // of diffuse light
};

/// Delta-Eddington approximation (Joseph et al. 1976; Briegleb 1992), for rays at this cosine of
/// the angle to the vertical.
LayerLight light_in(const LayerOptics& layer, const Lanes& cosine);

/// Floating-point operations of light_in() per column; an exponential counts as twenty.
inline constexpr int light_operations = 2 * 20 + 71;

}  // namespace halocline::numerics
