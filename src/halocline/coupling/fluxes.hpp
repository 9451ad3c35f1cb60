#pragma once

#include <cstdint>
#include <limits>

#include "halocline/base/units.hpp"

namespace halocline::coupling {

/// The air's skin over a piece of the surface: the layer where it meets the ground.
struct Skin {
  double temperature;  // °C
  double vapour;       // kg/kg
};

/// What the air's skin lies on.
struct Surface {
  double temperature;  // °C
  double wetness;      // 1 where water or ice is at the surface
  double latent_heat;  // of what evaporates
  double heat_j_m2;    // over a kelvin: what warms before the next flux is found
};
inline constexpr double warms_little = std::numeric_limits<double>::infinity();

/// What passes through a surface, downward but for evaporation.
struct SurfaceFlux {
  double sensible_w_m2;
  double evaporation_kg_m2_s;
  double heat_w_m2;  // with that of evaporation and what is radiated
};

/// By bulk formulas, for an interval at whose end the surface is as warm as this flux makes it: a
/// wet surface in warm air answers too fast for what it was at the beginning.
SurfaceFlux surface_flux(const Skin& skin, const Surface& surface, Seconds interval);
inline constexpr std::int64_t flux_operations = 60;

/// Of air over water in equilibrium, in kg/kg; and how much more over a kelvin.
double saturated(double temperature, double pressure);
double saturation_slope(double temperature, double pressure);
/// What rains from air that has more vapour than that, per kg of it: so much that the heat of
/// condensation is in it.
double condensed(double temperature, double vapour, double pressure);

}  // namespace halocline::coupling
