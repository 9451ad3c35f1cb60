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

/// What an ocean model does at a time: the baroclinic part and its halos at all levels, then the
/// barotropic solver with what it needs.
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

/// Where a solver's time counts.
OceanPhase ocean_phase_of(Stage stage);

/// What a model is made of; all of it must outlive it.
struct OceanParts {
  const DisplacedPoleGrid& grid;
  std::span<const float> depth_m;   // in whole levels
  std::vector<double> thickness_m;  // of levels
  const BlockFields& fields;
  Seconds time_step;
  SurfaceMethod surface;
  const mpi::Communicator& ranks;
  bundle::Way way;
  std::function<void(OceanPhase)> on_phase = [](OceanPhase /*phase*/) {};
};

/// What all cells hold together, and the extremes among them.
struct OceanAccount {
  double volume_m3;
  double heat;  // °C m³
  double salt;  // g/kg m³
  double saltiest;
  double least_salty;
  double fastest_m_s;
};

/// An ocean on the sphere, as POP steps it: temperature, salinity and velocities at all levels, and
/// a free surface whose waves are implicit.
///
/// A step moves tracers and surface with the velocities that the last one ended with, then finds
/// the velocities from the new tracers: without the surface's pressure first, whose equation
/// follows from their sums over depth (backward Euler; POP: leapfrog).
class OceanModel {
 public:
  /// Memory that a rank's blocks take.
  static double bytes_of(std::span<const layout::Part> blocks, layout::Index levels);

  /// Collective.
  explicit OceanModel(const OceanParts& parts);
  ~OceanModel();
  OceanModel(const OceanModel&) = delete;
  OceanModel& operator=(const OceanModel&) = delete;

  /// The state that the seed names, ghost cells too: water that is warm at the surface of low
  /// latitudes, in waves, moving by a few cm/s. `salinity`: the same in all cells, if given.
  void begin(std::uint64_t seed, std::optional<double> salinity = std::nullopt);
  /// Ghost cells in the ocean are not numbers until update_halos() fills them.
  void forget_ghosts();

  /// One time step. Collective. Throws Error on all ranks if the state is not finite.
  Solved step(const Stop& stop);
  /// Fills all ghost cells.
  void update_halos();

  /// Numbers of this rank's cells of ocean, row by row of the grid: all that follows has them in
  /// this order.
  std::vector<layout::Index> surface_cells() const;
  std::vector<double> surface_areas_m2() const;
  std::vector<double> surface_temperatures() const;
  std::vector<double> surface_heights_m() const;
  /// What flows through each cell's eastern side, from the surface to the bottom.
  std::vector<double> eastward_m3_s() const;
  /// The stress on each cell along the grid's two dimensions, in N/m², until it is set again.
  /// Collective.
  void set_wind(std::span<const double> along_rows, std::span<const double> along_columns);
  /// What enters the uppermost level of each cell within a time: heat, and fresh water, which
  /// dilutes the salt and leaves the surface where it is. Collective: ghost cells have it too.
  void warm(std::span<const double> heat_w_m2, std::span<const double> water_kg_m2_s, Seconds time);
  /// Adds to `frozen_j_m2` the heat that keeps each cell from falling below the freezing point:
  /// that of water turning into ice, which leaves its salt.
  void freeze(std::span<double> frozen_j_m2);

  /// All that the next step depends on, so many numbers a cell: one after the other of all cells.
  static std::size_t numbers_of_cell(layout::Index levels);
  std::vector<double> saved() const;
  /// Ghost cells too. Collective.
  void load(std::span<const double> numbers);

  /// How many of this rank's numbers, at ghost cells and all others in the ocean, are not what
  /// begin() writes.
  std::int64_t departures(std::uint64_t seed) const;
  /// How much the last step's velocities and surface pressure are off the equation of continuity:
  /// its solver's residual, found without it. Collective.
  double continuity_error() const;
  /// Collective; extremes are those of this rank.
  OceanAccount account() const;

  /// The same for the same bits of tracers and velocities in all cells, whoever has them.
  /// Collective.
  std::uint64_t checksum() const;

  struct Work {
    std::int64_t tracer_operations;
    std::int64_t momentum_operations;
    std::size_t tracer_bytes;
    std::size_t momentum_bytes;
    std::size_t halo_bytes;          // sent in a step, of all levels
    std::size_t surface_halo_bytes;  // sent in a step, of sums over depth and the surface
    std::int64_t ocean_cells;        // at all levels
  };
  /// Of this rank in a step, without the solver.
  Work work() const;
  const SurfaceSolver& surface() const { return surface_; }
  /// Sent in a step of so many iterations of the solver, at least.
  std::size_t off_node_bytes(std::span<const int> node_of_rank, std::int64_t iterations) const;

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
  std::vector<std::unique_ptr<State>> states_;  // of each block
  std::array<OceanField, 2> work_;              // of the block that steps
  BlockVector pressure_m2_s2_;                  // of the surface over density
  BlockVector last_pressure_;
  BlockVector right_;
  bundle::Redistribution tracer_halo_;
  bundle::Redistribution velocity_halo_;
  bundle::Redistribution sum_halo_;
  bundle::Redistribution surface_halo_;
  SurfaceSolver surface_;
};

}  // namespace halocline::numerics
