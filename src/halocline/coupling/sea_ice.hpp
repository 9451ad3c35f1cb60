#pragma once

#include <array>
#include <span>
#include <vector>

#include "halocline/base/units.hpp"

namespace halocline::coupling {

/// Ice on the sea, by Semtner's model without layers (1976): heat is conducted through it as if it
/// held none, but a skin at its surface does, so that what is exchanged by a coupler stays stable.
class SeaIce {
 public:
  static constexpr std::size_t numbers_of_cell = 4;
  static constexpr double skin_j_m2 = 6e5;  // over a kelvin: of 30 cm

  /// On cells with these areas.
  explicit SeaIce(std::vector<double> areas_m2);

  /// So thick, at the freezing point.
  void begin(std::span<const double> thickness_m);
  /// With what enters from above, and what the sea has: its temperature and the heat of its water
  /// that has frozen, which becomes ice.
  struct Input {
    std::span<const double> heat_w_m2;
    std::span<const double> water_kg_m2_s;
    std::span<const double> sea_temperatures;
    std::span<const double> frozen_w_m2;
  };
  void step(const Input& input, Seconds time);

  const std::vector<double>& areas_m2() const { return areas_m2_; }
  /// The part of a cell that ice covers: thin ice does not cover all.
  double cover(std::size_t cell) const;
  std::span<const double> thickness_m() const { return thickness_m_; }  // mean over the cell
  std::span<const double> surface_temperatures() const { return skin_; }
  /// What has gone to the sea since it was last taken.
  std::span<const double> heat_j_m2() const { return heat_j_m2_; }
  std::span<const double> water_kg_m2() const { return water_kg_m2_; }
  void take();

  /// Of ice and skin, in J/m², from water at the freezing point on.
  double heat_content_j_m2(std::size_t cell) const;
  double mass_kg_m2(std::size_t cell) const;
  std::vector<double> saved() const;
  void load(std::span<const double> numbers);

  static constexpr std::int64_t operations_per_cell = 40;

 private:
  std::vector<double> areas_m2_;
  std::vector<double> thickness_m_;
  std::vector<double> skin_;  // °C
  std::vector<double> heat_j_m2_;
  std::vector<double> water_kg_m2_;
};

}  // namespace halocline::coupling
