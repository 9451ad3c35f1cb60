#pragma once

/// The Earth as Williamson et al. (1992) define it.
namespace halocline::numerics::earth {

inline constexpr double radius_m = 6.37122e6;
inline constexpr double rotation_per_s = 7.292e-5;
inline constexpr double gravity_m_s2 = 9.80616;

}  // namespace halocline::numerics::earth
