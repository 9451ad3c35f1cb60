#pragma once

#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/numerics/layer_transport.hpp"

namespace halocline::numerics {

/// A layer's winds in m/s, with ghost rows.
struct LayerFlow {
  double* eastward;   // through western sides; ghost rows beyond the poles are filled as well
  double* southward;  // through northern edges; 0 at the poles
};

/// What winds in cells are, for columns; of own rows without ghosts.
struct CellFlow {
  double* eastward;
  double* southward;
  double* vorticity;
};

/// The winds of a layer of shallow water on the Earth: pushed by its pressure and kinetic energy,
/// turned by the absolute vorticity that they carry across their way (Lin and Rood 1997, on a C
/// grid). Near the poles, where cells are narrow, pressure is smoothed along circles as much as a
/// wave of this speed makes necessary.
class LayerWinds {
 public:
  /// The grid must outlive it.
  LayerWinds(const CellGrid& grid, const CellRows& rows, Seconds time_step, double wave_m_s);

  /// Own winds, a time step later, by a geopotential of this much for a unit of mass.
  void push(const LayerFlow& flow, const double* mass, double geopotential_per_mass);

  /// How far these winds carry in the time step. `courant` has ghost rows.
  void find_paths(const LayerFlow& flow, double* courant, double* swept) const;

  /// In the middle of own cells.
  void find_cells(const LayerFlow& flow, const CellFlow& cells);

 private:
  void find_energy(const LayerFlow& flow, const double* mass, double geopotential_per_mass);
  void find_vorticity(const LayerFlow& flow, double of_earth);
  void find_vorticity_at_pole(const LayerFlow& flow, int edge);
  void smooth(int row, double* values) const;
  void turn_southward(const LayerFlow& flow);
  void turn_eastward(const LayerFlow& flow);

  const CellGrid& grid_;
  CellRows rows_;
  double time_step_s_;
  std::vector<double> ratios_;  // of the smoothing of own rows and the one before; 0: none
  ZonalLine line_;
  std::vector<double> energy_;     // per mass, in cells
  std::vector<double> vorticity_;  // absolute, at northwestern corners
  std::vector<double> slopes_;
  std::vector<double> edges_;
  std::vector<double> first_;
  std::vector<double> last_;
  std::vector<double> turned_;  // of eastward winds, until the southward ones have used them
  std::vector<double> crossing_;
  std::vector<double> means_;
};

}  // namespace halocline::numerics
