#pragma once

namespace halocline::numerics {

// Constants for exchanges between sea, ice and air.
inline constexpr double sea_heat_capacity = 3991;     // J/(kg K)
inline constexpr double freezing_point = -1.8;        // °C, of sea water
inline constexpr double heat_of_fusion = 3.34e5;      // J/kg
inline constexpr double heat_of_evaporation = 2.5e6;  // J/kg

}  // namespace halocline::numerics
