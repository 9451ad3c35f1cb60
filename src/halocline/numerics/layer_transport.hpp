#pragma once

#include <vector>

#include "halocline/numerics/cell_grid.hpp"
#include "halocline/numerics/zonal_line.hpp"

namespace halocline::numerics {

/// How far the wind carries a layer in a time step.
struct LayerPaths {
  const double* courant;  // in cells, through western sides; rows with ghosts
  const double* swept;    // southward through edges, in units of row weights
};

/// Fluxes through cell sides in a time step, as a cell's content per unit of its weight.
struct LayerFluxes {
  double* eastward;   // own rows
  double* southward;  // own edges
};

/// Transports a layer's mass and tracers in flux form (Lin and Rood 1996): along circles of
/// latitude by any number of cells, from row to row by less than one.
///
/// Ghost rows must be filled, beyond the poles as well; own rows are updated. A cell's bits do not
/// depend on where a rank's rows begin.
class LayerTransport {
 public:
  /// The grid must outlive it.
  LayerTransport(const CellGrid& grid, const CellRows& rows);

  void carry_mass(const LayerPaths& paths, double* mass, const LayerFluxes& fluxes);

  /// Uses the fluxes of the mass, and the mass before and after them: a uniform tracer stays
  /// uniform.
  void carry(const LayerPaths& paths, const LayerFluxes& fluxes, const double* mass_before,
             const double* mass_after, double* tracer);

 private:
  void find_means(const LayerPaths& paths, const double* field);
  void find_southward_means(const double* swept);

  const CellGrid& grid_;
  CellRows rows_;
  ZonalLine line_;
  std::vector<double> half_way_;  // advected half a step across the direction of the fluxes
  std::vector<double> slopes_;
  std::vector<double> edges_;
  std::vector<double> first_;
  std::vector<double> last_;
  std::vector<double> eastward_means_;
  std::vector<double> southward_means_;
};

}  // namespace halocline::numerics
