#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halocline/numerics/ocean_columns.hpp"

namespace halocline::numerics {

/// Steps the velocities of a block without surface pressure. The pressure of the water above and
/// the wind drive them; the Earth's rotation turns them (half implicit); they are advected (upwind,
/// third order), and slowed by viscosity, sideways and, implicitly, along columns, and by the
/// bottom.
///
/// Once the barotropic solver has found the surface pressure, `push` adds its effect, the same at
/// all levels.
class OceanMomentum {
 public:
  OceanMomentum(const OceanBlock& block, Seconds time_step);

  /// Ghost cells of all fields must be up to date; those of the velocities are stale afterwards.
  /// `u_sum_m2_s` and `v_sum_m2_s` receive the velocities' sums over depth. `moved_u` and `moved_v`
  /// are workspace.
  void step(OceanField& u, OceanField& v, const OceanField& temperature, const OceanField& salinity,
            OceanField& moved_u, OceanField& moved_v, std::vector<double>& u_sum_m2_s,
            std::vector<double>& v_sum_m2_s);

  /// Subtracts the time step times the gradient of surface pressure over density, in m²/s², from
  /// the velocities.
  void push(const std::vector<double>& surface_m2_s2, OceanField& u, OceanField& v) const;

  /// Floating-point operations per ocean corner of a step with its push, and bytes that no cache
  /// keeps.
  static constexpr std::int64_t operations_per_corner = 165;
  static constexpr std::size_t bytes_per_corner = 18 * sizeof(double);

 private:
  void press_level(layout::Index k, double depth_m, const OceanField& temperature,
                   const OceanField& salinity, OceanField& moved_u, OceanField& moved_v);
  void move_level(layout::Index k, const OceanField& u, const OceanField& v, OceanField& moved_u,
                  OceanField& moved_v);
  /// Components along the first dimension and the second.
  template <class Item>
  using Pair = std::array<Item*, 2>;
  void mix_row(std::size_t row, const Pair<const OceanField>& moved, const Pair<OceanField>& mixed,
               const Pair<std::vector<double>>& sums);

  const OceanBlock& block_;
  double time_step_s_;
  std::vector<double> viscosity_m2_s_;
  SideTransports sides_;
  std::vector<double> pressure_m2_s2_;  // over density
  std::vector<double> below_m_s_;       // flow through cell bottoms, upward
  std::vector<double> above_m_s_;
  OceanMixing columns_;
};

}  // namespace halocline::numerics
