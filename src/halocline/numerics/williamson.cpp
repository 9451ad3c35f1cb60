#include "halocline/numerics/williamson.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "halocline/base/error.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/gaussian.hpp"

namespace halocline::numerics {
namespace {

constexpr double day = 86'400;
constexpr double solid_body_speed = 2 * std::numbers::pi * earth::radius_m / (12 * day);

using Vector3 = std::array<double, 3>;

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector3 position(const Place& place) {
  const double cosine = std::cos(place.latitude);
  return {cosine * std::cos(place.longitude), cosine * std::sin(place.longitude),
          std::sin(place.latitude)};
}

/// Axis of turned flows; its sine of latitude is that of equation (13).
class Axis {
 public:
  explicit Axis(double turned_by) : axis_{-std::sin(turned_by), 0, std::cos(turned_by)} {}

  double sine_of_latitude(const Place& place) const { return dot(axis_, position(place)); }

  /// Wind of a rotation about the axis at this rate, in radians per second.
  Flow rotation(const Place& place, double rate, double height) const {
    const Vector3 speed = cross(axis_, position(place));
    const double scale = rate * earth::radius_m;
    const double sine = std::sin(place.latitude);
    const Vector3 east{-std::sin(place.longitude), std::cos(place.longitude), 0};
    const Vector3 north{-sine * std::cos(place.longitude), -sine * std::sin(place.longitude),
                        std::cos(place.latitude)};
    return {.eastward = scale * dot(speed, east),
            .northward = scale * dot(speed, north),
            .height = height};
  }

 private:
  Vector3 axis_;
};

/// ∫ u (2Ωa sin τ + u tan τ) dτ from the south pole on: what a balanced zonal wind subtracts from
/// the geopotential. Gauss–Legendre quadrature from the nearest of many latitudes.
class BalancedGeopotential {
 public:
  explicit BalancedGeopotential(std::function<double(double)> wind) : wind_(std::move(wind)) {
    const GaussianRows half = gaussian_rows(points);
    for (int point = 0; point < points / 2; ++point) {
      const auto at = static_cast<std::size_t>(point);
      rule_.emplace_back(-half.sine[at], half.weight[at]);
      rule_.emplace_back(half.sine[at], half.weight[at]);
    }
    for (int interval = 0; interval < intervals; ++interval) {
      sums_.push_back(sums_.back() + integral(begin_of(interval), begin_of(interval + 1)));
    }
  }

  double below(double latitude) const {
    const int interval = std::clamp(
        static_cast<int>((latitude / std::numbers::pi + 0.5) * intervals), 0, intervals - 1);
    return sums_[static_cast<std::size_t>(interval)] + integral(begin_of(interval), latitude);
  }

 private:
  static constexpr int points = 16;
  static constexpr int intervals = 256;

  static double begin_of(int interval) {
    return std::numbers::pi * (double{1} * interval / intervals - 0.5);
  }

  double integral(double low, double high) const {
    double sum = 0;
    for (const auto& [node, weight] : rule_) {
      const double latitude = (low + high + (high - low) * node) / 2;
      const double wind = wind_(latitude);
      if (wind != 0) {
        sum += weight * wind *
               (2 * earth::rotation_per_s * earth::radius_m * std::sin(latitude) +
                wind * std::tan(latitude));
      }
    }
    return sum * (high - low) / 2;
  }

  std::function<double(double)> wind_;
  std::vector<std::pair<double, double>> rule_;
  std::vector<double> sums_{0.0};
};

/// Case 1: a cosine bell carried once around the Earth.
class CosineBell final : public WilliamsonCase {
 public:
  explicit CosineBell(double turned_by) : turned_by_(turned_by), axis_(turned_by) {}

  Flow flow(const Place& place, double seconds) const override {
    constexpr double rate = solid_body_speed / earth::radius_m;
    const Place now = moved_back(place, rate * seconds);
    const double cosine = std::cos(now.latitude) * std::cos(now.longitude - 1.5 * std::numbers::pi);
    const double distance = std::acos(std::clamp(cosine, -1.0, 1.0));
    constexpr double width = 1.0 / 3.0;
    const double height =
        distance < width ? 500 * (1 + std::cos(std::numbers::pi * distance / width)) : 0.0;
    return axis_.rotation(place, rate, height);
  }
  bool only_advects() const override { return true; }

 private:
  /// Position of the air at a place before it turned by this angle (Rodrigues' formula).
  Place moved_back(const Place& place, double angle) const {
    const Vector3 axis{-std::sin(turned_by_), 0, std::cos(turned_by_)};
    const Vector3 here = position(place);
    const Vector3 aside = cross(axis, here);
    const double along = dot(axis, here);
    Vector3 there{};
    for (std::size_t part = 0; part < 3; ++part) {
      there[part] = here[part] * std::cos(angle) - aside[part] * std::sin(angle) +
                    axis[part] * along * (1 - std::cos(angle));
    }
    return {.longitude = std::atan2(there[1], there[0]),
            .latitude = std::asin(std::clamp(there[2], -1.0, 1.0))};
  }

  double turned_by_;
  Axis axis_;
};

/// Case 2: balanced solid-body rotation.
class SolidBody final : public WilliamsonCase {
 public:
  explicit SolidBody(double turned_by) : axis_(turned_by) {}

  Flow flow(const Place& place, double /*seconds*/) const override {
    constexpr double top = 2.94e4;
    constexpr double drop = earth::radius_m * earth::rotation_per_s * solid_body_speed +
                            solid_body_speed * solid_body_speed / 2;
    const double sine = axis_.sine_of_latitude(place);
    return axis_.rotation(place, solid_body_speed / earth::radius_m,
                          (top - drop * sine * sine) / earth::gravity_m_s2);
  }
  double coriolis(const Place& place) const override {
    return 2 * earth::rotation_per_s * axis_.sine_of_latitude(place);
  }

 private:
  Axis axis_;
};

/// Case 3: a balanced jet with compact support.
class CompactJet final : public WilliamsonCase {
 public:
  explicit CompactJet(double turned_by) : axis_(turned_by), balance_(wind) {}

  Flow flow(const Place& place, double /*seconds*/) const override {
    constexpr double top = 2.94e4;
    const double sine = std::clamp(axis_.sine_of_latitude(place), -1.0, 1.0);
    const double latitude = std::asin(sine);
    const double speed = wind(latitude);
    const double rate = speed == 0 ? 0.0 : speed / (earth::radius_m * std::sqrt(1 - sine * sine));
    return axis_.rotation(place, rate, (top - balance_.below(latitude)) / earth::gravity_m_s2);
  }
  double coriolis(const Place& place) const override {
    return 2 * earth::rotation_per_s * axis_.sine_of_latitude(place);
  }

 private:
  static double wind(double latitude) {
    constexpr double south = -std::numbers::pi / 6;
    constexpr double north = std::numbers::pi / 2;
    constexpr double end = 0.3;
    const double x = end * (latitude - south) / (north - south);
    if (x <= 0 || x >= end) {
      return 0;
    }
    return solid_body_speed * std::exp(-1 / x) * std::exp(-1 / (end - x)) * std::exp(4 / end);
  }

  Axis axis_;
  BalancedGeopotential balance_;
};

/// Case 4: a low forced to travel with a zonal flow.
class ForcedLow final : public WilliamsonCase {
 public:
  ForcedLow() : balance_(zonal_wind) {}

  Flow flow(const Place& place, double seconds) const override {
    const Stream psi = stream(place, seconds);
    const double cosine = std::cos(place.latitude);
    const double geopotential = top - balance_.below(place.latitude) +
                                2 * earth::rotation_per_s * std::sin(place.latitude) * psi.value;
    return {.eastward = zonal_wind(place.latitude) - psi.north / earth::radius_m,
            .northward = psi.east / (earth::radius_m * cosine),
            .height = geopotential / earth::gravity_m_s2};
  }

  bool is_forced() const override { return true; }

  /// The zonal flow: errors are relative to the low alone (Browning et al. 1989, and the reference
  /// code STSWM).
  Flow basic_flow(const Place& place) const override {
    return {.eastward = zonal_wind(place.latitude),
            .northward = 0,
            .height = (top - balance_.below(place.latitude)) / earth::gravity_m_s2};
  }

  /// Residual of the equations for the flow above, which moves without changing shape: ∂/∂t is
  /// −(u₀/a) ∂/∂λ.
  Forcing forcing(const Place& place, double seconds) const override {
    constexpr double a = earth::radius_m;
    const Stream psi = stream(place, seconds);
    const double cosine = std::cos(place.latitude);
    const double sine = std::sin(place.latitude);
    const double f = 2 * earth::rotation_per_s * sine;
    const double f_north = 2 * earth::rotation_per_s * cosine;
    const double zonal = zonal_wind(place.latitude);
    const double zonal_north =
        28 * speed * std::pow(std::sin(2 * place.latitude), 13) * std::cos(2 * place.latitude);
    const double u = zonal - psi.north / a;
    const double v = psi.east / (a * cosine);
    const double u_east = -psi.east_north / a;
    const double u_north = zonal_north - psi.north_north / a;
    const double v_east = psi.east_east / (a * cosine);
    const double v_north = (psi.east_north + psi.east * sine / cosine) / (a * cosine);
    const double phi_east = f * psi.east;
    const double phi_north =
        -zonal * (2 * earth::rotation_per_s * a * sine + zonal * sine / cosine) +
        f_north * psi.value + f * psi.north;
    const auto rate = [&](double east, double north) {  // rate of change following the air
      return -speed / a * east + u / (a * cosine) * east + v / a * north;
    };
    const double tangent = sine / cosine;
    return {
        .eastward = rate(u_east, u_north) - u * v * tangent / a - f * v + phi_east / (a * cosine),
        .northward = rate(v_east, v_north) + u * u * tangent / a + f * u + phi_north / a,
        .geopotential = rate(phi_east, phi_north)};
  }

 private:
  static constexpr double speed = 20;
  static constexpr double top = 1e5;

  struct Stream {  // the function and its derivatives
    double value;
    double east;
    double north;
    double east_east;
    double east_north;
    double north_north;
  };

  static double zonal_wind(double latitude) { return speed * std::pow(std::sin(2 * latitude), 14); }

  static Stream stream(const Place& place, double seconds) {
    constexpr double centre = std::numbers::pi / 4;
    constexpr double sharpness = 12.74244 * 12.74244;
    const double depth = -0.03 * top / (2 * earth::rotation_per_s * std::sin(centre));
    const double angle = place.longitude - speed / earth::radius_m * seconds;
    const double cosine = std::cos(place.latitude);
    const double sine = std::sin(place.latitude);
    const double c = std::sin(centre) * sine + std::cos(centre) * cosine * std::cos(angle);
    const double c_east = -std::cos(centre) * cosine * std::sin(angle);
    const double c_north = std::sin(centre) * cosine - std::cos(centre) * sine * std::cos(angle);
    const double c_east_east = -std::cos(centre) * cosine * std::cos(angle);
    const double c_east_north = std::cos(centre) * sine * std::sin(angle);
    const double c_north_north = -c;
    const double value = depth * std::exp(-sharpness * (1 - c) / (1 + c));
    const double first = 2 * sharpness / ((1 + c) * (1 + c));  // derivative of the logarithm by c
    const double second = first * first - 2 * first / (1 + c);
    return {.value = value,
            .east = value * first * c_east,
            .north = value * first * c_north,
            .east_east = value * (second * c_east * c_east + first * c_east_east),
            .east_north = value * (second * c_east * c_north + first * c_east_north),
            .north_north = value * (second * c_north * c_north + first * c_north_north)};
  }

  BalancedGeopotential balance_;
};

/// Case 5: a zonal flow over a mountain.
class Mountain final : public WilliamsonCase {
 public:
  Flow flow(const Place& place, double /*seconds*/) const override {
    constexpr double speed = 20;
    constexpr double top = 5960;
    const double sine = std::sin(place.latitude);
    const double drop =
        (earth::radius_m * earth::rotation_per_s * speed + speed * speed / 2) * sine * sine;
    return {.eastward = speed * std::cos(place.latitude),
            .northward = 0,
            .height = top - drop / earth::gravity_m_s2};
  }
  double surface(const Place& place) const override {
    constexpr double radius = std::numbers::pi / 9;
    const double distance = std::min(radius, std::hypot(place.longitude - 1.5 * std::numbers::pi,
                                                        place.latitude - std::numbers::pi / 6));
    return 2000 * (1 - distance / radius);
  }
};

/// Case 6: a Rossby–Haurwitz wave of wavenumber 4.
class RossbyWave final : public WilliamsonCase {
 public:
  Flow flow(const Place& place, double /*seconds*/) const override {
    constexpr double a = earth::radius_m;
    constexpr double omega = earth::rotation_per_s;
    constexpr double rate = 7.848e-6;  // for both of the published rates
    constexpr double waves = 4;
    constexpr double height = 8000;
    const double sine = std::sin(place.latitude);
    const double square = std::cos(place.latitude) * std::cos(place.latitude);
    const double cubed = square * std::cos(place.latitude);
    const double wave = std::cos(waves * place.longitude);
    const double fourth = square * square;
    const double zonal = rate / 2 * (2 * omega + rate) * square +
                         rate * rate / 4 * fourth * fourth *
                             ((waves + 1) * square + (2 * waves * waves - waves - 2)) -
                         rate * rate / 2 * waves * waves * fourth * square;
    const double once = 2 * (omega + rate) * rate / ((waves + 1) * (waves + 2)) * fourth *
                        ((waves * waves + 2 * waves + 2) - (waves + 1) * (waves + 1) * square);
    const double twice = rate * rate / 4 * fourth * fourth * ((waves + 1) * square - (waves + 2));
    return {.eastward = a * rate * std::cos(place.latitude) +
                        a * rate * cubed * (waves * sine * sine - square) * wave,
            .northward = -a * rate * waves * cubed * sine * std::sin(waves * place.longitude),
            .height =
                height + a * a / earth::gravity_m_s2 *
                             (zonal + once * wave + twice * std::cos(2 * waves * place.longitude))};
  }
};

}  // namespace

double WilliamsonCase::coriolis(const Place& place) const {
  return 2 * earth::rotation_per_s * std::sin(place.latitude);
}

std::unique_ptr<WilliamsonCase> williamson_case(int number, double turned_by) {
  switch (number) {
    case 1:
      return std::make_unique<CosineBell>(turned_by);
    case 2:
      return std::make_unique<SolidBody>(turned_by);
    case 3:
      return std::make_unique<CompactJet>(turned_by);
    case 4:
      return std::make_unique<ForcedLow>();
    case 5:
      return std::make_unique<Mountain>();
    case 6:
      return std::make_unique<RossbyWave>();
    default:
      throw UsageError("test case " + std::to_string(number) +
                       "; allowed: 1 to 6; choose one of these");
  }
}

double published_angle(int number) {
  if (number == 2) {
    return std::numbers::pi / 4;
  }
  return number == 3 ? std::numbers::pi / 3 : 0.0;
}

}  // namespace halocline::numerics
