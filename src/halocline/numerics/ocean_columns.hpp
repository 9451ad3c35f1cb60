#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "halocline/numerics/ocean_block.hpp"

namespace halocline::numerics {

inline constexpr double reference_density_kg_m3 = 1025;

/// Density above the reference in kg/m³ of water of a temperature in °C and a salinity in g/kg at a
/// depth in metres: the simplified equation of state of Roquet et al. 2015 (J. Phys. Oceanogr. 45).
inline double density_kg_m3(double temperature, double salinity, double depth_m) {
  constexpr double cabbeling = 0.011;     // kg/(m³ K²)
  constexpr double thermobaric = 2.5e-5;  // kg/(m⁴ K)
  constexpr double haline = 0.77;         // kg/(m³ g/kg)
  constexpr double most_dense = -4.5;     // °C, where cooling no longer contracts
  constexpr double usual_salinity = 35;
  const double warmth = temperature - most_dense;
  return haline * (salinity - usual_salinity) - cabbeling / 2 * warmth * warmth -
         thermobaric * depth_m * warmth;
}

/// Calls row(at) for each row of a block, widened by so many rows below and above: where its first
/// own cell lies in a level.
template <class Row>
void for_each_row(const OceanBlock& block, layout::Index below, layout::Index above, Row row) {
  for (layout::Index j = block.box.lower[1] - below; j < block.box.upper[1] + above; ++j) {
    row(block.at(block.box.lower[0], j));
  }
}

/// Water through the sides of the cells at a level, in m³/s: a side's velocity is the mean of those
/// at its two corners.
struct SideTransports {
  std::vector<double> east_m3_s;
  std::vector<double> north_m3_s;

  explicit SideTransports(const OceanBlock& block)
      : east_m3_s(block.level_of_zeros()), north_m3_s(block.level_of_zeros()) {}

  /// Of own cells and the ring about them.
  void compute(const OceanBlock& block, layout::Index k, const OceanField& u, const OceanField& v);

  /// What leaves a cell through its sides.
  double leaving_m3_s(std::ptrdiff_t at, std::ptrdiff_t stride) const {
    const double* const east = east_m3_s.data() + at;
    const double* const north = north_m3_s.data() + at;
    return east[0] - east[-1] + (north[0] - north[-stride]);
  }
};

/// Implicit mixing along the columns of a row, of two quantities with the same coefficients: each
/// level's equation is solved downward in terms of the next level, then from the bottom up.
class ColumnMixing {
 public:
  static constexpr std::size_t count = 2;

  explicit ColumnMixing(const OceanBlock& block)
      : width_(static_cast<std::size_t>(block.stride)),
        plane_(block.plane),
        levels_(block.levels),
        exchanged_m_(width_),
        factor_(width_ * static_cast<std::size_t>(levels_)),
        right_{factor_, factor_} {}

  /// Level by level from the surface, at each column: (own_m + down_m + exchange above) × value is
  /// its content and what comes from the levels above and below, `down_m` from the latter.
  void eliminate(layout::Index k, std::size_t at, double own_m, double down_m,
                 const std::array<double, count>& contents) {
    const std::size_t kept = static_cast<std::size_t>(k) * width_ + at;
    const bool top = k == 0;
    const double up_m = top ? 0 : exchanged_m_[at];
    const double pivot = 1 / (own_m + down_m + up_m * (1 - (top ? 0 : factor_[kept - width_])));
    factor_[kept] = down_m * pivot;
    for (std::size_t index = 0; index < count; ++index) {
      const double above = top ? 0 : right_[index][kept - width_];
      right_[index][kept] = (contents[index] + up_m * above) * pivot;
    }
    exchanged_m_[at] = down_m;
  }

  /// Writes a quantity's values into the row of a field; calls each(level, column, value).
  template <class Each>
  void substitute(std::size_t index, OceanField& field, std::size_t row, std::size_t length,
                  Each each) const {
    for (layout::Index k = levels_ - 1; k >= 0; --k) {
      const std::size_t kept = static_cast<std::size_t>(k) * width_;
      double* const values = field.data() + k * plane_ + row;
      // Below the last level nothing is exchanged: the factor is 0.
      const std::ptrdiff_t below_by = k + 1 < levels_ ? plane_ : 0;
      for (std::size_t at = 0; at < length; ++at) {
        const double below = values[static_cast<std::ptrdiff_t>(at) + below_by];
        values[at] = right_[index][kept + at] + factor_[kept + at] * below;
        each(static_cast<std::size_t>(k), at, values[at]);
      }
    }
  }

 private:
  std::size_t width_;
  std::ptrdiff_t plane_;
  layout::Index levels_;
  std::vector<double> exchanged_m_;  // of each column, with the level above
  std::vector<double> factor_;       // of the next level's value
  std::array<std::vector<double>, count> right_;
};

}  // namespace halocline::numerics
