#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halocline/numerics/ocean_columns.hpp"

namespace halocline::numerics {

/// Steps the tracers of a block: velocities advect them; they mix sideways and, implicitly, along
/// columns, more strongly where a column is unstable.
///
/// Flow carries values of third order in space and time (Hundsdorfer and Trompert 1994), from two
/// cells upstream and one downstream. What leaves a cell enters the next, so each tracer is
/// conserved. The surface moves with the same water, so a uniform tracer stays uniform.
class OceanTracers {
 public:
  static constexpr std::size_t count = OceanMixing::count;  // temperature, salinity
  using Tracers = std::array<OceanField*, count>;

  OceanTracers(const OceanBlock& block, Seconds time_step);

  /// Ghost cells of velocities and tracers must be up to date; those of the tracers are stale
  /// afterwards. Also moves the surface, in metres above rest. `advected` is workspace.
  void step(const OceanField& u, const OceanField& v, std::vector<double>& surface_m,
            const Tracers& tracers, const Tracers& advected);

  /// Floating-point operations per ocean cell of a step, and bytes that no cache keeps.
  static constexpr std::int64_t operations_per_cell = 14 + count * 66 + 40;
  static constexpr std::size_t bytes_per_cell = (2 + count * 4) * sizeof(double);

 private:
  void sideways(layout::Index k, const OceanField& tracer);
  void upward(layout::Index k, const OceanField& tracer, const std::vector<double>& surface_m,
              OceanField& result, std::size_t index);
  void move_surface(std::vector<double>& surface_m);
  void mix_row(std::size_t row, const std::vector<double>& surface_m, const Tracers& tracers,
               const Tracers& advected);

  const OceanBlock& block_;
  double time_step_s_;
  std::vector<double> per_area_s_m2_;  // time step over cell area
  std::vector<double> mixing_m2_s_;    // sideways
  SideTransports sides_;
  std::vector<double> below_m3_s_;  // flow through the bottoms of a level's cells, upward
  std::vector<double> above_m3_s_;  // and through their tops
  std::array<std::vector<double>, count> below_flux_;
  std::vector<double> east_flux_;
  std::vector<double> north_flux_;
  OceanMixing columns_;
};

}  // namespace halocline::numerics
