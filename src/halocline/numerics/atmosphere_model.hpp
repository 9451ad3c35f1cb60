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

/// What is modelled, by which ranks, and how its columns travel.
struct AtmosphereShape {
  int truncation;  // of the spectral core
  int levels;
  Balance balance;
  int dynamics_ranks;
  int stride;            // from one of these to the next
  int along_longitude;   // of them, in the spectral core
  double hour;           // at Greenwich
  bundle::Way way;       // of the columns
  Seconds time_step{0};  // 0: by the grid
  AirCore core = AirCore::spectral;
  int latitudes = 361;                                    // of the finite-volume core
  int along_vertical = 1;                                 // of its ranks
  const protocol::Protocol* dynamics_protocol = nullptr;  // null: that of the columns

  /// Of what the dynamics exchange among themselves.
  bundle::Way dynamics_way() const {
    return {.protocol = dynamics_protocol != nullptr ? dynamics_protocol : way.protocol,
            .near = way.near};
  }
};

/// An atmosphere whose dynamics have rows of latitudes and whose physics has columns, each shared
/// among ranks in its own way: in each step the columns travel from the one to the other and back.
class AtmosphereModel {
 public:
  /// Collective, as all below. Throws UsageError for a truncation without a grid, Skip, as all
  /// ranks do, where the ranks do not fit it.
  AtmosphereModel(const AtmosphereShape& shape, const mpi::Communicator& world, Pages pages,
                  std::function<void(AtmospherePhase)> on_phase);

  /// Memory of this rank, about.
  static double bytes(const AtmosphereShape& shape, int ranks);

  void begin();
  void step();

  /// The parts of a step.
  void run_dynamics();
  void remap_out();
  void run_physics();
  void remap_back();

  /// Numbers that each value's name and the seed make travel to the physics and back; returns how
  /// many of this rank's arrived changed.
  std::int64_t changed_on_the_way(std::uint64_t seed);

  /// Of each tracer in each column where the dynamics has them, in kg/m², with the ground.
  std::vector<double> tracer_masses();
  /// What the dynamics keep, on their ranks, as AirDynamics::kept() has it.
  std::vector<double> kept();
  /// The first of these.
  std::optional<double> mean_height();

  /// Of every bit that the physics returned: the same however columns are shared.
  std::uint64_t checksum();

  /// Of this rank's columns, as ColumnPhysics::cost() has it.
  double cost() const { return cost_of(columns_, costs_); }
  std::size_t columns() const { return columns_.size(); }
  std::size_t lit_columns() const;
  /// In any phase.
  AirWork work_of(AtmospherePhase phase) const;
  std::int64_t dynamics_operations() const;
  std::int64_t physics_operations() const;
  std::size_t transpose_bytes() const { return work_of(AtmospherePhase::transposes).sent_bytes; }
  std::size_t out_bytes() const { return out_->sent_bytes(); }
  std::size_t back_bytes() const { return back_->sent_bytes(); }
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;
  Seconds time_step() const { return time_step_; }
  /// Stable at this truncation of the spectral core.
  static Seconds longest_step(int truncation);

  /// The sun stands as at this hour from now on; who computes which columns stays.
  void set_hour(double hour);
  const AirLevels& levels() const { return levels_; }
  /// The columns as the dynamics has them, and what pushes their winds, by number of the column.
  const std::vector<layout::Index>& home_columns() const { return home_columns_; }
  ColumnFields at_home();
  ColumnFields pushes();
  /// The spectral dynamics; null on ranks without them.
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
  std::unique_ptr<SpectralGrid> spectral_grid_;  // of the core that there is
  std::unique_ptr<CellGrid> cell_grid_;          // the same
  AirGrid grid_;
  Seconds time_step_;
  AirLevels levels_;
  SphereWay sphere_way_;
  std::optional<mpi::Communicator> dynamics_ranks_;
  std::unique_ptr<AirDynamics> dynamics_;
  AtmosphereDynamics* spectral_ = nullptr;  // the same, if they are
  ColumnPhysics physics_;
  std::vector<double> costs_;  // of all columns
  std::vector<layout::Index> home_columns_;
  std::vector<layout::Index> columns_;
  std::vector<double> cosines_;
  Array<double> home_{0};    // where the dynamics has its columns
  Array<double> pushes_{0};  // of the winds there
  Array<double> away_{0};    // where the physics has its
  std::unique_ptr<bundle::Redistribution> out_;
  std::unique_ptr<bundle::Redistribution> back_;
};

}  // namespace halocline::numerics
