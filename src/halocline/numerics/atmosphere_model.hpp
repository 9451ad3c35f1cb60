#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halocline/bundle/redistribution.hpp"
#include "halocline/numerics/array.hpp"
#include "halocline/numerics/atmosphere_dynamics.hpp"
#include "halocline/numerics/finite_volume.hpp"

namespace halocline::numerics {

/// The kind of dynamics.
enum class AirCore { spectral, finite_volume };

/// Model configuration, the ranks that run it, and how its columns travel.
struct AtmosphereShape {
  int truncation;  // spectral core
  int levels;
  Balance balance;
  int dynamics_ranks;
  int stride;            // between ranks of the dynamics
  int along_longitude;   // ranks along longitude, spectral core
  double hour;           // Greenwich time
  bundle::Way way;       // for the columns
  Seconds time_step{0};  // 0: chosen from the grid
  AirCore core = AirCore::spectral;
  int latitudes = 361;                                    // finite-volume core
  int along_vertical = 1;                                 // ranks, finite-volume core
  const protocol::Protocol* dynamics_protocol = nullptr;  // null: same as for the columns

  /// How the dynamics exchange data among themselves.
  bundle::Way dynamics_way() const {
    return {.protocol = dynamics_protocol != nullptr ? dynamics_protocol : way.protocol,
            .near = way.near};
  }
};

/// An atmosphere whose dynamics own rows of latitudes and whose physics owns columns, each shared
/// in its own way. Every step sends the columns from dynamics to physics and back.
class AtmosphereModel {
 public:
  /// Collective, as are all calls below. Throws UsageError if the truncation has no grid, and Skip,
  /// on all ranks, if the ranks do not fit the grid.
  AtmosphereModel(const AtmosphereShape& shape, const mpi::Communicator& world, Pages pages,
                  std::function<void(AtmospherePhase)> on_phase);

  /// Approximate memory of a rank, in bytes.
  static double bytes(const AtmosphereShape& shape, int ranks);

  void begin();
  void step();

  /// Parts of a step.
  void run_dynamics();
  void remap_out();
  void run_physics();
  void remap_back();

  /// Sends values derived from the seed and their positions to the physics, within the dynamics and
  /// back. Returns how many arrived changed on this rank.
  std::int64_t changed_on_the_way(std::uint64_t seed);

  /// Whether every value in this rank's columns of the dynamics is a number.
  bool finite();

  /// Mass of each tracer per column of the dynamics, in kg/m², with the ground: [tracer][column].
  std::vector<double> tracer_masses();
  /// What the dynamics conserve, as in AirDynamics::kept(); empty on ranks without dynamics.
  std::vector<double> kept();

  /// Covers every bit that the physics returned. Does not depend on how columns are distributed.
  std::uint64_t checksum();

  /// Cost of this rank's columns, as defined by ColumnPhysics::cost().
  double cost() const { return cost_of(columns_, costs_); }
  std::size_t columns() const { return columns_.size(); }
  std::size_t lit_columns() const;
  /// Work of this rank in any phase.
  AirWork work_of(AtmospherePhase phase) const;
  std::int64_t dynamics_operations() const;
  std::int64_t physics_operations() const;
  std::size_t transpose_bytes() const { return work_of(AtmospherePhase::transposes).sent_bytes; }
  std::size_t out_bytes() const { return out_->sent_bytes(); }
  std::size_t back_bytes() const { return back_->sent_bytes(); }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;
  Seconds time_step() const { return time_step_; }
  /// Longest stable step at this truncation of the spectral core.
  static Seconds longest_step(int truncation);

  /// Fixes the sun at this hour from now on. Columns stay on their ranks.
  void set_hour(double hour);
  const AirLevels& levels() const { return levels_; }
  /// Columns as the dynamics hold them: global indices, fields, and tendencies of their winds.
  const std::vector<layout::Index>& home_columns() const { return home_columns_; }
  ColumnFields at_home();
  ColumnFields pushes();
  /// Spectral dynamics; null on ranks without them.
  AtmosphereDynamics* dynamics() { return spectral_; }

 private:
  ColumnFields at_physics();
  std::size_t all_levels() const { return levels_.count() + 1; }
  void connect(const bundle::Way& way);
  void set_columns();
  void deal_columns();
  void make_dynamics(const mpi::Communicator& ranks, Pages pages);

  AtmosphereShape shape_;
  const mpi::Communicator& world_;
  std::function<void(AtmospherePhase)> on_phase_;
  std::unique_ptr<SpectralGrid> spectral_grid_;  // spectral core only
  std::unique_ptr<CellGrid> cell_grid_;          // finite-volume core only
  AirGrid grid_;
  Seconds time_step_;
  AirLevels levels_;
  SphereWay sphere_way_;
  std::optional<mpi::Communicator> dynamics_ranks_;
  std::unique_ptr<AirDynamics> dynamics_;
  AtmosphereDynamics* spectral_ = nullptr;  // same object, if spectral
  ColumnPhysics physics_;
  std::vector<double> costs_;  // all columns
  std::vector<layout::Index> home_columns_;
  std::vector<layout::Index> columns_;
  std::vector<double> cosines_;
  Array<double> home_{0};    // fields on the dynamics side
  Array<double> pushes_{0};  // wind tendencies there
  Array<double> away_{0};    // fields on the physics side
  std::unique_ptr<bundle::Redistribution> out_;
  std::unique_ptr<bundle::Redistribution> back_;
};

}  // namespace halocline::numerics
