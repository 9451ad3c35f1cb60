#pragma once

#include <array>
#include <span>
#include <vector>

#include "halocline/base/units.hpp"

namespace halocline::coupling {

/// Ice on the sea, by Semtner's zero-layer model (1976): the ice conducts heat as if it stored
/// none, but a skin at its surface stores some, so that the coupler's exchange stays stable.
class SeaIce {
 public:
  static constexpr std::size_t numbers_of_cell = 4;
  static constexpr double skin_j_m2 = 6e5;  // per kelvin: of 30 cm

  /// On cells with these areas.
  explicit SeaIce(std::vector<double> areas_m2);

  /// Starts with this thickness, at the freezing point.
  void begin(std::span<const double> thickness_m);
  /// What enters from above, and what the sea passes: its temperature and the heat of its frozen
  /// water, which becomes ice.
  struct Input {
    std::span<const double> heat_w_m2;
    std::span<const double> water_kg_m2_s;
    std::span<const double> sea_temperatures;
    std::span<const double> frozen_w_m2;
  };
  void step(const Input& input, Seconds time);

  const std::vector<double>& areas_m2() const { return areas_m2_; }
  /// The part of a cell that ice covers: thin ice does not cover all of it.
  double cover(std::size_t cell) const;
  std::span<const double> thickness_m() const { return thickness_m_; }  // mean over the cell
  std::span<const double> surface_temperatures() const { return skin_; }
  /// What went to the sea since it was last taken.
  std::span<const double> heat_j_m2() const { return heat_j_m2_; }
  std::span<const double> water_kg_m2() const { return water_kg_m2_; }
  void take();

  /// Of ice and skin, in J/m², relative to water at the freezing point.
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
