#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halocline/numerics/ocean_columns.hpp"

namespace halocline::numerics {

/// How the velocities of a block step without the pressure of the surface: driven by the pressure
/// of the water above and the wind, turned by the Earth's rotation (half implicit), advected
/// (upwind, third order), and slowed by viscosity sideways and, implicitly, along columns, and by
/// the bottom.
///
/// The pressure of the surface is added later by `push`, the same at all levels, when the
/// barotropic solver has found it.
class OceanMomentum {
 public:
  OceanMomentum(const OceanBlock& block, Seconds time_step);

  /// Ghost cells of all must be up to date; those of the velocities are not afterwards.
  /// `u_sum_m2_s` and `v_sum_m2_s` become the velocities' sums over depth; `moved_u` and `moved_v`
  /// are memory to work in.
  void step(OceanField& u, OceanField& v, const OceanField& temperature, const OceanField& salinity,
            OceanField& moved_u, OceanField& moved_v, std::vector<double>& u_sum_m2_s,
            std::vector<double>& v_sum_m2_s);

  /// Takes the time step times the gradient of the surface's pressure over density, in m²/s², from
  /// the velocities.
  void push(const std::vector<double>& surface_m2_s2, OceanField& u, OceanField& v) const;

  /// Floating-point operations of a step with its push for each ocean corner, and bytes that no
  /// cache keeps.
  static constexpr std::int64_t operations_per_corner = 165;
  static constexpr std::size_t bytes_per_corner = 18 * sizeof(double);

 private:
  void press_level(layout::Index k, double depth_m, const OceanField& temperature,
                   const OceanField& salinity, OceanField& moved_u, OceanField& moved_v);
  void move_level(layout::Index k, const OceanField& u, const OceanField& v, OceanField& moved_u,
                  OceanField& moved_v);
  /// Along the first dimension and the second.
  template <class Item>
  using Pair = std::array<Item*, 2>;
  void mix_row(std::size_t row, const Pair<const OceanField>& moved, const Pair<OceanField>& mixed,
               const Pair<std::vector<double>>& sums);

  const OceanBlock& block_;
  double time_step_s_;
  std::vector<double> viscosity_m2_s_;
  SideTransports sides_;
  std::vector<double> pressure_m2_s2_;  // over density
  std::vector<double> below_m_s_;       // water through the bottoms of cells, upward
  std::vector<double> above_m_s_;
  OceanMixing columns_;
};

}  // namespace halocline::numerics
