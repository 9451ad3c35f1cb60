#pragma once

#include <vector>

#include "halocline/numerics/cell_grid.hpp"
#include "halocline/numerics/zonal_line.hpp"

namespace halocline::numerics {

/// How far the wind carries a layer in a time step.
struct LayerPaths {
  const double* courant;  // in cells, through their western sides; rows with ghosts
  const double* swept;    // southward through edges, in units of the rows' weights
};

/// What went through the sides of cells in a time step, in what a cell has per unit of its weight.
struct LayerFluxes {
  double* eastward;   // of the rank's own rows
  double* southward;  // of their edges
};

/// Carries a layer's mass and its tracers in flux form (Lin and Rood 1996): along circles of
/// latitude by any number of cells, from row to row by less than one.
///
/// Fields have ghost rows that are filled, beyond the poles as well; own rows are changed. Each
/// cell gets the same bits wherever a rank's rows begin.
class LayerTransport {
 public:
  /// The grid must outlive it.
  LayerTransport(const CellGrid& grid, const CellRows& rows);

  void carry_mass(const LayerPaths& paths, double* mass, const LayerFluxes& fluxes);

  /// By the fluxes of the mass that was there before and is there after: a tracer that is the same
  /// everywhere stays so.
  void carry(const LayerPaths& paths, const LayerFluxes& fluxes, const double* mass_before,
             const double* mass_after, double* tracer);

 private:
  void find_means(const LayerPaths& paths, const double* field);
  void find_southward_means(const double* swept);

  const CellGrid& grid_;
  CellRows rows_;
  ZonalLine line_;
  std::vector<double> half_way_;  // carried by half a step across the direction of the fluxes
  std::vector<double> slopes_;
  std::vector<double> edges_;
  std::vector<double> first_;
  std::vector<double> last_;
  std::vector<double> eastward_means_;
  std::vector<double> southward_means_;
};

}  // namespace halocline::numerics
