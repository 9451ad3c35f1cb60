#pragma once

namespace halocline::coupling {

inline constexpr double air_heat_capacity = 1004.6;  // J/(kg K)
inline constexpr double kelvin_at_0 = 273.15;        // °C

}  // namespace halocline::coupling
