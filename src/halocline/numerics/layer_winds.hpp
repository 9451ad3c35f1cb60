#pragma once

#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/numerics/layer_transport.hpp"

namespace halocline::numerics {

/// Winds of a layer in m/s, with ghost rows.
struct LayerFlow {
  double* eastward;   // through western sides; ghost rows beyond the poles are filled too
  double* southward;  // through northern edges; 0 at the poles
};

/// Winds (m/s) and vorticity (1/s) in cells, for columns; own rows without ghosts.
struct CellFlow {
  double* eastward;
  double* southward;
  double* vorticity;
};

/// Winds of a layer of shallow water on the Earth. Pressure and kinetic energy drive them; the
/// absolute vorticity that they carry across their path turns them (Lin and Rood 1997, on a C
/// grid). Near the poles, where cells are narrow, pressure is smoothed along circles as far as a
/// wave of this speed requires.
class LayerWinds {
 public:
  /// The grid must outlive it.
  LayerWinds(const CellGrid& grid, const CellRows& rows, Seconds time_step, double wave_m_s);

  /// Advances own winds by a time step, with this geopotential per unit of mass.
  void push(const LayerFlow& flow, const double* mass, double geopotential_per_mass);

  /// How far these winds carry in the time step. `courant` has ghost rows.
  void find_paths(const LayerFlow& flow, double* courant, double* swept) const;

  /// At the centres of own cells.
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
  std::vector<double> ratios_;  // for smoothing own rows and the one before; 0: none
  ZonalLine line_;
  std::vector<double> energy_;     // per unit mass, at cell centres
  std::vector<double> vorticity_;  // absolute, at northwestern corners
  std::vector<double> slopes_;
  std::vector<double> edges_;
  std::vector<double> first_;
  std::vector<double> last_;
  std::vector<double> turned_;  // eastward change, kept until the southward one is done
  std::vector<double> crossing_;
  std::vector<double> means_;
};

}  // namespace halocline::numerics
