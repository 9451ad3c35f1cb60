#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halocline/numerics/array.hpp"
#include "halocline/numerics/sphere_map.hpp"
#include "halocline/numerics/sphere_transform.hpp"
#include "halocline/numerics/williamson.hpp"

namespace halocline::numerics {

/// How a model steps in time.
struct TimeStepping {
  double step_seconds;
  bool semi_implicit = true;  // gravity waves by the trapezoidal rule
  double filter = 0;          // Robert-Asselin
  double diffusion = 0;       // of ∇⁴, in m⁴/s
};

/// Integrals over the sphere for one level.
struct Invariants {
  double mass;       // of h, in m
  double energy;     // of (h v² + g (H² − surface²)) / 2, where H is the height of the surface
  double enstrophy;  // of (ζ + f)² / 2h
};

/// Errors relative to the known flow, in the l₂ norm over the sphere.
struct Errors {
  double height;
  double wind;
};

/// Coefficients of ζ, δ and Φ at two times: [row][level group][field][re, im][lane].
template <class Real>
struct ShallowWaterState {
  Array<Real> before;
  Array<Real> now;
  std::int64_t steps = 0;
};

/// Shallow water equations on the sphere in vorticity, divergence and geopotential, by spherical
/// harmonics in triangular truncation and leapfrog steps: Hack and Jakob, NCAR/TN-343 (1992).
/// Levels are independent.
template <class Real>
class ShallowWater {
 public:
  static constexpr int fields_in = 4;  // U, V, ζ, Φ
  static int fields_out(const WilliamsonCase& test) { return test.is_forced() ? 6 : 5; }

  /// The transform, with these numbers of fields, and the case must outlive it.
  ShallowWater(SphereTransform<Real>& transform, const WilliamsonCase& test,
               const TimeStepping& stepping, Pages pages);

  /// Collective, as are all calls below. Initial flow of the case, on each level.
  ShallowWaterState<Real> initial();
  /// Calls `also` with each batch on the grid: its fields_in fields, U and V being wind times the
  /// cosine of latitude, and the fields to analyse, to which it may add.
  void step(
      ShallowWaterState<Real>& state,
      const SphereTransform<Real>::GridWork& also = [](const auto&) {});

  double seconds(const ShallowWaterState<Real>& state) const {
    return static_cast<double>(state.steps) * stepping_.step_seconds;
  }
  /// For the first level; the same on all ranks that share it.
  Errors errors(const ShallowWaterState<Real>& state);
  Invariants invariants(const ShallowWaterState<Real>& state);
  /// Adds this rank's points of the first level: heights of the surface and of the ground, in m.
  void add_heights(const ShallowWaterState<Real>& state, SphereMap& surface, SphereMap& ground);

  /// Bytes and floating-point operations of a step outside the transform, on this rank.
  SphereWork spectral_work() const;
  std::size_t state_bytes() const;
  SphereWork grid_work() const;

 private:
  static constexpr int batch_width = 2 * lanes_of<Real>;
  static constexpr int state_fields = 3;

  struct Point {
    Flow wind;         // with the fluid's depth
    double vorticity;  // absolute
    double surface;
  };

  std::size_t length(int fields) const;
  Place place_of(int pair, int hemisphere, int longitude) const;
  /// Numbers of a row, level group and field, in an array with this many fields.
  template <class Numbers>
  auto* row_of(Numbers& numbers, std::size_t row, int group, int field, int fields) const {
    const auto groups = static_cast<std::size_t>(transform_.groups().count);
    return numbers.data() +
           ((row * groups + static_cast<std::size_t>(group)) * static_cast<std::size_t>(fields) +
            static_cast<std::size_t>(field)) *
               batch_width;
  }
  template <class Value>
  void for_each_point(Value value) const;
  void set_grid();
  template <class Values>
  void set_out(Values values);
  void set_forcing(double seconds);
  void find_winds(const Array<Real>& state);
  void compute(const GridBatch<Real>& batch) const;
  void advance(ShallowWaterState<Real>& state, double interval);
  template <class Sum>
  std::vector<double> integrate(const ShallowWaterState<Real>& state, std::size_t count, Sum sum);

  SphereTransform<Real>& transform_;
  const WilliamsonCase& test_;
  TimeStepping stepping_;
  Pages pages_;
  double mean_geopotential_ = 0;
  std::vector<int> order_of_row_;
  std::vector<int> degree_of_row_;
  Array<Real> in_;
  Array<Real> out_;
  std::vector<Real> surface_;          // Φ of the ground by row: re, im
  std::vector<Real> surface_on_grid_;  // in m, by [pair][longitude][hemisphere]
  std::vector<Real> coriolis_;
  std::vector<Real> force_u_;
  std::vector<Real> force_v_;
  std::vector<Real> force_phi_;
  std::optional<double> forced_at_s_;  // model time of these
};

template <class Real>
SphereWork ShallowWater<Real>::spectral_work() const {
  constexpr std::int64_t operations = 18 + 48;  // winds and step, per real number
  const std::size_t numbers = length(1);
  const int fields = fields_in + fields_out(test_) + 3 * state_fields;
  return {.operations = operations * static_cast<std::int64_t>(numbers),
          .memory_bytes = numbers * static_cast<std::size_t>(fields) * sizeof(Real),
          .sent_bytes = 0};
}

template <class Real>
std::size_t ShallowWater<Real>::state_bytes() const {
  return 2 * length(state_fields) * sizeof(Real);  // at two times
}

template <class Real>
SphereWork ShallowWater<Real>::grid_work() const {
  constexpr std::int64_t operations = 11;  // products at a point
  const auto points = std::int64_t{2} * transform_.pairs().count * transform_.longitudes().count *
                      transform_.batch().groups * lanes_of<Real>;
  return {.operations = operations * points, .memory_bytes = 0, .sent_bytes = 0};
}

extern template class ShallowWater<float>;
extern template class ShallowWater<double>;

}  // namespace halocline::numerics
