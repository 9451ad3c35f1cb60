#pragma once

#include <cstdint>

namespace halocline::coupling {

/// The air's skin over a piece of the surface: the layer where it meets the ground.
struct Skin {
  double temperature;  // °C
  double vapour;       // kg/kg
};

/// What passes through a surface, downward but for evaporation.
struct SurfaceFlux {
  double sensible_w_m2;
  double evaporation_kg_m2_s;
  double heat_w_m2;  // with that of evaporation and what is radiated
};

/// By bulk formulas, of a surface of this temperature in °C; `wetness`: 1 where water or ice is at
/// the surface; `latent_heat` of what evaporates.
SurfaceFlux surface_flux(const Skin& skin, double temperature, double wetness, double latent_heat);
inline constexpr std::int64_t flux_operations = 40;

/// Of air over water in equilibrium, in kg/kg.
double saturated(double temperature, double pressure);
/// What rains from air that has more vapour than that, per kg of it: so much that the heat of
/// condensation is in it.
double condensed(double temperature, double vapour, double pressure);

}  // namespace halocline::coupling
