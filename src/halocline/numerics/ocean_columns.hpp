#pragma once

#include <cstddef>
#include <vector>

#include "halocline/numerics/column_mixing.hpp"
#include "halocline/numerics/ocean_block.hpp"

namespace halocline::numerics {

inline constexpr double reference_density_kg_m3 = 1025;

/// Density above the reference, in kg/m³, for a temperature in °C, a salinity in g/kg and a depth
/// in m: the simplified equation of state of Roquet et al. 2015 (J. Phys. Oceanogr. 45).
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

/// Calls row(at) for each row of a block, and for `below` and `above` more rows. `at` is the index
/// of the row's first own cell within a level.
template <class Row>
void for_each_row(const OceanBlock& block, layout::Index below, layout::Index above, Row row) {
  for (layout::Index j = block.box.lower[1] - below; j < block.box.upper[1] + above; ++j) {
    row(block.at(block.box.lower[0], j));
  }
}

/// Volume fluxes through the sides of the cells at a level, in m³/s. The velocity at a side is the
/// mean of its two corners.
struct SideTransports {
  std::vector<double> east_m3_s;
  std::vector<double> north_m3_s;

  explicit SideTransports(const OceanBlock& block)
      : east_m3_s(block.level_of_zeros()), north_m3_s(block.level_of_zeros()) {}

  /// Computes own cells and the ring around them.
  void compute(const OceanBlock& block, layout::Index k, const OceanField& u, const OceanField& v);

  /// Net outflow of a cell through its sides.
  double leaving_m3_s(std::ptrdiff_t at, std::ptrdiff_t stride) const {
    const double* const east = east_m3_s.data() + at;
    const double* const north = north_m3_s.data() + at;
    return east[0] - east[-1] + (north[0] - north[-stride]);
  }
};

/// Mixing of both tracers, or of both velocities, along the columns of a row.
class OceanMixing : public ColumnMixing<2> {
 public:
  explicit OceanMixing(const OceanBlock& block)
      : ColumnMixing(static_cast<std::size_t>(block.stride),
                     static_cast<std::size_t>(block.levels)) {}
};

}  // namespace halocline::numerics
