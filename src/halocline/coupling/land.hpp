#pragma once

#include <span>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/numerics/column_mixing.hpp"

namespace halocline::coupling {

/// Columns of soil: heat that diffuses down from the surface, and a bucket of water that rain
/// fills, evaporation empties, and that overflows into rivers (Manabe 1969).
class Land {
 public:
  static constexpr std::size_t layers = 6;
  static constexpr std::size_t numbers_of_column = layers + 2;  // temperatures, water, runoff
  static constexpr double full_kg_m2 = 150;
  static constexpr double surface_m = 0.15;   // of the uppermost layer
  static constexpr double soil_j_m3 = 2.2e6;  // per kelvin
  static constexpr double surface_j_m2 = surface_m * soil_j_m3;

  /// With columns of these areas.
  explicit Land(std::vector<double> areas_m2);

  /// Starts with soil half full, at these temperatures in °C.
  void begin(std::span<const double> temperatures);
  /// Takes what enters the surface from above.
  void step(std::span<const double> heat_w_m2, std::span<const double> water_kg_m2_s, Seconds time);

  const std::vector<double>& areas_m2() const { return areas_m2_; }
  std::span<const double> surface_temperatures() const {
    return std::span(temperatures_).first(columns_);
  }
  std::span<const double> water_kg_m2() const { return water_kg_m2_; }
  /// The overflow since it was last taken.
  std::span<const double> runoff_kg_m2() const { return runoff_kg_m2_; }
  void take_runoff();

  /// In J/m², relative to 0 °C.
  double heat_j_m2(std::size_t column) const;
  std::vector<double> saved() const;
  void load(std::span<const double> numbers);

  static constexpr std::int64_t operations_per_column = layers * 16 + 6;

 private:
  std::vector<double> areas_m2_;
  std::size_t columns_;
  std::vector<double> temperatures_;  // [layer][column]
  std::vector<double> water_kg_m2_;
  std::vector<double> runoff_kg_m2_;
  numerics::ColumnMixing<1> mixing_;
};

}  // namespace halocline::coupling
