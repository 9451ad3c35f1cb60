#pragma once

#include <cstdint>
#include <limits>

#include "halocline/base/units.hpp"

namespace halocline::coupling {

inline constexpr double kelvin_at_0 = 273.15;  // °C

/// The air's skin over a piece of the surface: the layer that touches the ground.
struct Skin {
  double temperature;  // °C
  double vapour;       // kg/kg
};

/// What lies below the air's skin.
struct Surface {
  double temperature;  // °C
  double wetness;      // 1 where water or ice is at the surface
  double latent_heat;  // of evaporation
  double heat_j_m2;    // per kelvin: what warms before the next flux is computed
};
inline constexpr double warms_little = std::numeric_limits<double>::infinity();

/// What passes through a surface; downward except for evaporation.
struct SurfaceFlux {
  double sensible_w_m2;
  double evaporation_kg_m2_s;
  double heat_w_m2;  // including evaporation and radiation
};

/// By bulk formulas, for an interval at whose end the surface is as warm as this flux makes it: a
/// wet surface in warm air responds too fast for its state at the beginning.
SurfaceFlux surface_flux(const Skin& skin, const Surface& surface, Seconds interval);
inline constexpr std::int64_t flux_operations = 60;

/// Of air in equilibrium with water, in kg/kg; and its increase per kelvin.
double saturated(double temperature, double pressure);
double saturation_slope(double temperature, double pressure);
/// What rains from air with more vapour than that, per kg of it, with the heat of condensation
/// taken into account.
double condensed(double temperature, double vapour, double pressure);

}  // namespace halocline::coupling
