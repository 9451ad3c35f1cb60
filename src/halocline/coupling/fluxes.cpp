#include "halocline/coupling/fluxes.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/numerics/dry_air.hpp"
#include "halocline/numerics/sea_water.hpp"

namespace halocline::coupling {
namespace {

double vapour_pressure(double temperature) {
  return 611.2 * std::exp(17.67 * temperature / (temperature + 243.5));
}

}  // namespace

SurfaceFlux surface_flux(const Skin& skin, const Surface& surface, Seconds interval) {
  constexpr double conductance_w_m2 = 20;  // over a kelvin: of a wind of some m/s
  constexpr double radiated = 0.3;         // of a black body's radiation, past clouds and vapour
  constexpr double stefan_boltzmann = 5.67e-8;
  constexpr double usual_pressure = 1e5;
  const double conductance_kg_m2_s =
      conductance_w_m2 / numerics::dry_air::heat_capacity_j_kg_k * surface.wetness;
  const double sensible = conductance_w_m2 * (skin.temperature - surface.temperature);
  const double evaporation =
      conductance_kg_m2_s * (saturated(surface.temperature, usual_pressure) - skin.vapour);
  const double kelvin = surface.temperature + kelvin_at_0;
  const double radiation = radiated * stefan_boltzmann * (kelvin * kelvin) * (kelvin * kelvin);
  // Linear in the surface's warming until the end of the interval, from all three together.
  const double more_evaporation =
      conductance_kg_m2_s * saturation_slope(surface.temperature, usual_pressure);
  const double more_radiation = 4 * radiation / kelvin;
  const double heat = sensible - surface.latent_heat * evaporation - radiation;
  const double less_heat =
      conductance_w_m2 + surface.latent_heat * more_evaporation + more_radiation;
  const double warming = heat / (surface.heat_j_m2 / interval.count() + less_heat);
  return {.sensible_w_m2 = sensible - conductance_w_m2 * warming,
          .evaporation_kg_m2_s = evaporation + more_evaporation * warming,
          .heat_w_m2 = heat - less_heat * warming};
}

double saturated(double temperature, double pressure) {
  const double of_vapour = vapour_pressure(temperature);
  return 0.622 * of_vapour / std::max(pressure, 2 * of_vapour);
}

double saturation_slope(double temperature, double pressure) {
  const double of_vapour = vapour_pressure(temperature);
  const double slope = of_vapour * 17.67 * 243.5 / ((temperature + 243.5) * (temperature + 243.5));
  return 2 * of_vapour < pressure ? 0.622 * slope / pressure : 0;
}

double condensed(double temperature, double vapour, double pressure) {
  constexpr double vapour_gas_constant = 461.5;
  const double most = saturated(temperature, pressure);
  const double kelvin = temperature + kelvin_at_0;
  const double warmed =
      numerics::heat_of_evaporation * numerics::heat_of_evaporation * most /
      (numerics::dry_air::heat_capacity_j_kg_k * vapour_gas_constant * kelvin * kelvin);
  return std::max(vapour - most, 0.0) / (1 + warmed);
}

}  // namespace halocline::coupling
