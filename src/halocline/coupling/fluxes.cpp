#include "halocline/coupling/fluxes.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/coupling/air_constants.hpp"
#include "halocline/numerics/sea_water.hpp"

namespace halocline::coupling {

SurfaceFlux surface_flux(const Skin& skin, double temperature, double wetness, double latent_heat) {
  constexpr double conductance_w_m2 = 20;  // over a kelvin: of a wind of some m/s
  constexpr double radiated = 0.3;         // of what a black body radiates, past clouds and vapour
  constexpr double stefan_boltzmann = 5.67e-8;
  constexpr double usual_pressure = 1e5;
  const double sensible = conductance_w_m2 * (skin.temperature - temperature);
  const double evaporation = conductance_w_m2 / air_heat_capacity * wetness *
                             (saturated(temperature, usual_pressure) - skin.vapour);
  const double kelvin = temperature + kelvin_at_0;
  const double radiation = radiated * stefan_boltzmann * (kelvin * kelvin) * (kelvin * kelvin);
  return {.sensible_w_m2 = sensible,
          .evaporation_kg_m2_s = evaporation,
          .heat_w_m2 = sensible - latent_heat * evaporation - radiation};
}

double saturated(double temperature, double pressure) {
  const double vapour_pressure = 611.2 * std::exp(17.67 * temperature / (temperature + 243.5));
  return 0.622 * vapour_pressure / std::max(pressure, 2 * vapour_pressure);
}

double condensed(double temperature, double vapour, double pressure) {
  constexpr double vapour_gas_constant = 461.5;
  const double most = saturated(temperature, pressure);
  const double kelvin = temperature + kelvin_at_0;
  const double warmed = numerics::heat_of_evaporation * numerics::heat_of_evaporation * most /
                        (air_heat_capacity * vapour_gas_constant * kelvin * kelvin);
  return std::max(vapour - most, 0.0) / (1 + warmed);
}

}  // namespace halocline::coupling
