#pragma once

/// The Earth as Williamson et al. (1992) define it.
namespace halocline::numerics::earth {

inline constexpr double radius_m = 6.37122e6;
inline constexpr double rotation_per_s = 7.292e-5;
inline constexpr double gravity_m_s2 = 9.80616;
/// Explicit leapfrog steps turn winds stably while they last less than 1 / (2 rotation_per_s).
inline constexpr double longest_leapfrog_s = 5400;

}  // namespace halocline::numerics::earth
