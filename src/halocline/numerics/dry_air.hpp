#pragma once

/// In SI units.
namespace halocline::numerics::dry_air {

inline constexpr double gas_constant = 287.04;   // J/(kg K)
inline constexpr double heat_capacity = 1004.6;  // J/(kg K)
inline constexpr double mean_pressure = 1e5;     // at the surface
/// Pressure falls to 1/e over this geopotential, at 288 K.
inline constexpr double thickness_m2_s2 = gas_constant * 288;

}  // namespace halocline::numerics::dry_air
