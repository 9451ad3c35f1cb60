#pragma once

#include <array>
#include <cstddef>

namespace halocline::numerics {

/// Columns whose physics is computed at a time, side by side in memory.
inline constexpr std::size_t column_lanes = 8;

/// One number of each of them.
using Lanes = std::array<double, column_lanes>;

/// What light meets in a layer.
struct LayerOptics {
  Lanes depth;      // optical
  Lanes scattered;  // the part of the extinction that scatters, below 1
  Lanes asymmetry;  // of the scattering: 0 when as much goes forward as back
};

/// What a layer does with light: parts of what falls onto it.
struct LayerLight {
  Lanes direct;               // passes without being scattered, of the sun's rays
  Lanes reflected;            // of the sun's rays
  Lanes transmitted;          // of the sun's rays, the direct part among it
  Lanes diffuse_reflected;    // of light from all directions
  Lanes diffuse_transmitted;  // of the same
};

/// By the delta-Eddington approximation (Joseph et al. 1976; Briegleb 1992), for rays at an angle
/// to the vertical of this cosine.
LayerLight light_in(const LayerOptics& layer, const Lanes& cosine);

/// Floating-point operations of light_in() for one column, an exponential counted as twenty.
inline constexpr int light_operations = 2 * 20 + 71;

}  // namespace halocline::numerics
