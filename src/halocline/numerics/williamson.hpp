#pragma once

#include <memory>
#include <string_view>

#include "halocline/numerics/earth.hpp"

namespace halocline::numerics {

/// A place on the sphere, in radians.
struct Place {
  double longitude;
  double latitude;
};

/// Wind in m/s and surface height in m.
struct Flow {
  double eastward;
  double northward;
  double height;

  friend Flow operator-(const Flow& one, const Flow& other) {
    return {.eastward = one.eastward - other.eastward,
            .northward = one.northward - other.northward,
            .height = one.height - other.height};
  }
};

inline double squared_speed(const Flow& flow) {
  return flow.eastward * flow.eastward + flow.northward * flow.northward;
}

/// Terms added to the equations for wind (m/s²) and geopotential (m²/s³).
struct Forcing {
  double eastward;
  double northward;
  double geopotential;
};

/// A case of the test set of Williamson et al., J. Comput. Phys. 102 (1992) 211.
class WilliamsonCase {
 public:
  WilliamsonCase() = default;
  virtual ~WilliamsonCase() = default;
  WilliamsonCase(const WilliamsonCase&) = delete;
  WilliamsonCase& operator=(const WilliamsonCase&) = delete;

  /// Flow at a time in seconds, where known; otherwise the initial flow.
  virtual Flow flow(const Place& place, double seconds) const = 0;
  /// Part of the flow that published errors are not relative to.
  virtual Flow basic_flow(const Place& /*place*/) const { return {}; }
  /// Height of the ground, in m.
  virtual double surface(const Place& /*place*/) const { return 0; }
  virtual double coriolis(const Place& place) const;
  /// Case 1: the wind is given and carries the height along.
  virtual bool only_advects() const { return false; }
  virtual bool is_forced() const { return false; }
  virtual Forcing forcing(const Place& /*place*/, double /*seconds*/) const { return {}; }
};

/// Case 1 to 6. `turned_by` is the angle, in radians, by which the poles of the flow are turned in
/// cases 1 to 3. Throws UsageError for any other number.
std::unique_ptr<WilliamsonCase> williamson_case(int number, double turned_by);

/// Angle of the published error norms, in radians.
double published_angle(int number);

}  // namespace halocline::numerics
