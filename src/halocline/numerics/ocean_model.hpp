#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "halocline/numerics/ocean_momentum.hpp"
#include "halocline/numerics/ocean_tracers.hpp"
#include "halocline/numerics/surface_solver.hpp"

namespace halocline::numerics {

/// What an ocean model is doing: the baroclinic part and its halos at all levels, then the
/// barotropic solver and what it needs.
enum class OceanPhase {
  tracers,
  momentum,
  halo,
  solver,
  solver_halo,
  global_sum,
  vectors,
  waiting,
  remap,
  preconditioner
};
inline constexpr std::size_t ocean_phases = 10;

/// Phase that the time of a solver's stage counts towards.
OceanPhase ocean_phase_of(Stage stage);

/// What a model is made of. All of it must outlive the model.
struct OceanParts {
  const DisplacedPoleGrid& grid;
  std::span<const float> depth_m;   // in whole levels
  std::vector<double> thickness_m;  // per level
  const BlockFields& fields;
  Seconds time_step;
  SurfaceMethod surface;
  const mpi::Communicator& ranks;
  bundle::Way way;
  std::function<void(OceanPhase)> on_phase = [](OceanPhase /*phase*/) {};
};

/// Totals over all cells, and extremes among them.
struct OceanAccount {
  double volume_m3;
  double heat;  // °C m³
  double salt;  // g/kg m³
  double saltiest;
  double least_salty;
  double fastest_m_s;
};

/// A global ocean, stepped like POP: temperature, salinity and velocities at all levels, and a free
/// surface whose waves are implicit.
///
/// A step moves tracers and surface with the velocities of the last step. It then computes
/// velocities from the new tracers, first without the surface pressure, whose equation follows from
/// their sums over depth (backward Euler; POP: leapfrog).
class OceanModel {
 public:
  /// Memory of a rank's blocks, in bytes.
  static double bytes_of(std::span<const layout::Part> blocks, layout::Index levels);

  /// Collective.
  explicit OceanModel(const OceanParts& parts);
  ~OceanModel();
  OceanModel(const OceanModel&) = delete;
  OceanModel& operator=(const OceanModel&) = delete;

  /// Sets the state that the seed defines, with ghost cells: water that is warm at the surface of
  /// low latitudes, in waves, moving by a few cm/s. `salinity`, if given, applies to all cells.
  void begin(std::uint64_t seed, std::optional<double> salinity = std::nullopt);
  /// Sets ghost cells in the ocean to NaN, until update_halos() fills them.
  void forget_ghosts();

  /// One time step. Collective. Throws Error on all ranks if the state is not finite.
  Solved step(const Stop& stop);
  /// Fills all ghost cells.
  void update_halos();

  /// Global indices of this rank's ocean cells, row by row of the grid. Everything below uses this
  /// order.
  std::vector<layout::Index> surface_cells() const;
  std::vector<double> surface_areas_m2() const;
  std::vector<double> surface_temperatures() const;
  std::vector<double> surface_heights_m() const;
  /// Volume flux through each cell's eastern side, from the surface to the bottom.
  std::vector<double> eastward_m3_s() const;
  /// Sets the stress on each cell along the grid's two dimensions, in N/m², until the next call.
  /// Collective.
  void set_wind(std::span<const double> along_rows, std::span<const double> along_columns);
  /// Adds heat and fresh water to the top level of each cell, over a time. Fresh water dilutes the
  /// salt and does not raise the surface. Collective: updates ghost cells too.
  void warm(std::span<const double> heat_w_m2, std::span<const double> water_kg_m2_s, Seconds time);
  /// Adds to `frozen_j_m2` the heat that keeps each cell from falling below the freezing point:
  /// that of water turning into ice, which leaves its salt behind.
  void freeze(std::span<double> frozen_j_m2);

  /// All that the next step depends on: numbers_of_cell() values per cell, [value][cell].
  static std::size_t numbers_of_cell(layout::Index levels);
  std::vector<double> saved() const;
  /// Sets ghost cells too. Collective.
  void load(std::span<const double> numbers);

  /// How many of this rank's ocean points, ghost cells included, differ from what begin() writes.
  std::int64_t departures(std::uint64_t seed) const;
  /// How far the last step's velocities and surface pressure are off the continuity equation: the
  /// residual of its solver, computed without it. Collective.
  double continuity_error() const;
  /// Collective, except that extremes are those of this rank.
  OceanAccount account() const;

  /// Depends on the bits of tracers and velocities in all cells, not on who owns them. Collective.
  std::uint64_t checksum() const;

  struct Work {
    std::int64_t tracer_operations;
    std::int64_t momentum_operations;
    std::size_t tracer_bytes;
    std::size_t momentum_bytes;
    std::size_t halo_bytes;          // sent per step, all levels
    std::size_t surface_halo_bytes;  // sent per step, depth sums and the surface
    std::size_t warm_halo_bytes;     // sent by warm()
    std::size_t wind_halo_bytes;     // sent by set_wind()
    std::int64_t ocean_cells;        // over all levels
  };
  /// Work of this rank per step, without the solver.
  Work work() const;
  const SurfaceSolver& surface() const { return surface_; }
  /// Bytes sent between nodes in a step with this many solver iterations, at least.
  std::size_t off_node_bytes(std::span<const int> node_of_rank, std::int64_t iterations) const;
  /// The same in a call of warm() and of set_wind().
  std::size_t warm_off_node_bytes(std::span<const int> node_of_rank) const;
  std::size_t wind_off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  struct State;

  static std::vector<OceanBlock> blocks_of(const OceanParts& parts);
  static std::vector<std::unique_ptr<State>> states_of(const std::vector<OceanBlock>& blocks,
                                                       Seconds time_step);
  template <class FieldsOf>
  bundle::Redistribution halo_of(layout::Index below, layout::Index above,
                                 FieldsOf fields_of) const;
  template <class Visit>
  void each_initial(const OceanBlock& block, std::uint64_t seed, Visit visit) const;
  template <class Visit>
  void each_surface_cell(Visit visit) const;
  void write_right_side();
  void write_surface();
  void enter(OceanPhase phase) const { parts_.on_phase(phase); }

  const OceanParts parts_;
  std::vector<OceanBlock> blocks_;
  std::vector<std::unique_ptr<State>> states_;  // per block
  std::array<OceanField, 2> work_;              // for the block being stepped
  BlockVector pressure_m2_s2_;                  // at the surface, over density
  BlockVector last_pressure_;
  BlockVector right_;
  bundle::Redistribution tracer_halo_;
  bundle::Redistribution velocity_halo_;
  bundle::Redistribution sum_halo_;
  bundle::Redistribution surface_halo_;
  SurfaceSolver surface_;
};

}  // namespace halocline::numerics
