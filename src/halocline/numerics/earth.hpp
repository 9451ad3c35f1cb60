#pragma once

/// The Earth as Williamson et al. (1992) define it, in SI units.
namespace halocline::numerics::earth {

inline constexpr double radius = 6.37122e6;
inline constexpr double rotation = 7.292e-5;
inline constexpr double gravity = 9.80616;

}  // namespace halocline::numerics::earth
