#pragma once

namespace halocline::numerics::dry_air {

inline constexpr double gas_constant_j_kg_k = 287.04;
inline constexpr double heat_capacity_j_kg_k = 1004.6;
inline constexpr double mean_pressure_pa = 1e5;  // at the surface
/// Pressure falls to 1/e over this geopotential, at 288 K.
inline constexpr double thickness_m2_s2 = gas_constant_j_kg_k * 288;

}  // namespace halocline::numerics::dry_air
