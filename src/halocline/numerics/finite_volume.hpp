#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "halocline/bundle/redistribution.hpp"
#include "halocline/numerics/air_dynamics.hpp"
#include "halocline/numerics/array.hpp"
#include "halocline/numerics/finite_volume_sharing.hpp"
#include "halocline/numerics/layer_winds.hpp"
#include "halocline/numerics/vertical_remap.hpp"

namespace halocline::numerics {

/// What finite-volume dynamics are made of. Everything referred to must outlive them.
struct FiniteVolumeParts {
  const CellGrid& grid;
  const AirLevels& levels;
  Seconds time_step;
  int along_vertical;  // ranks that share the levels of the same rows
  bundle::Way way;
  const mpi::Communicator& ranks;
  std::function<void(AtmospherePhase)> on_phase;
};

/// Finite-volume atmosphere dynamics in the manner of CAM. Layers of air float; each is a layer of
/// shallow water that carries heat and tracers. Every step remaps them to the levels.
class FiniteVolume final : public AirDynamics {
 public:
  /// Collective. Throws Skip if the ranks do not fit the grid.
  FiniteVolume(const FiniteVolumeParts& parts, Pages pages);
  ~FiniteVolume() override;

  /// Approximate memory of a rank, in bytes.
  static double bytes(const CellGrid& grid, int levels, int ranks, int along_vertical);

  const std::vector<layout::Index>& columns() const override { return columns_; }
  void begin() override;
  void step(const ColumnFields& pushes, const ColumnFields& air) override;
  std::vector<double> kept(const ColumnFields& air) override;
  std::int64_t changed_on_the_way(std::uint64_t seed) override;
  AirWork work_of(AtmospherePhase phase) const override;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override;

 private:
  // Fields of layers, with ghost rows. Southward increments need them: edges lie between rows.
  enum Layer : std::size_t {
    mass,
    eastward,
    southward,
    heat,
    tracers,
    push_southward = tracers + air::tracer_count,
    courant,
    mass_before,
    layer_count
  };
  // Fields of own rows, without ghost rows; edge fields have one row more.
  enum Sum : std::size_t {
    cell_eastward,
    cell_southward,
    cell_vorticity,
    flux_eastward,
    flux_southward,
    swept,
    sum_count
  };
  // Fields of columns.
  enum Column : std::size_t {
    column_mass,
    column_eastward,  // its increment on the way back
    column_southward,
    column_heat,
    column_tracers,
    column_vorticity = column_tracers + air::tracer_count,
    column_count
  };
  static constexpr int small_steps = 4;

  std::size_t own_levels() const { return static_cast<std::size_t>(box_.extent(2)); }
  double* layer(std::size_t field, std::size_t level) {
    return layers_.data() + (field * own_levels() + level) * rows_.size();
  }
  double* sum(Sum field, std::size_t level) {
    return sums_.data() + (field * own_levels() + level) * rows_.edges_size();
  }
  ColumnFields all_columns() {
    return {.first = air_columns_.data(), .levels = levels_.count(), .columns = columns_.size()};
  }

  bundle::Field layer_field(std::size_t field);
  bundle::Field sum_field(Sum field);
  bundle::Field column_field(std::size_t field);
  void connect();
  void take(const ColumnFields& pushes, const ColumnFields& air);
  void give(const ColumnFields& air);
  void exchange(AtmospherePhase phase, bundle::Redistribution& fields);
  void fill_poles(std::size_t field);
  void push_by_columns();
  void push_winds(std::size_t level);
  void carry_mass(std::size_t level, bool first);
  void carry_all(std::size_t level);
  double potential(std::size_t level) const { return potentials_[level]; }

  FiniteVolumeParts parts_;
  const CellGrid& grid_;
  const AirLevels& levels_;
  FiniteVolumeSharing sharing_;
  layout::Box box_;
  CellRows rows_;
  std::vector<layout::Index> columns_;
  std::vector<double> potentials_;  // per level, from temperature to potential temperature
  LayerTransport transport_;
  LayerWinds winds_;
  VerticalRemap remap_;
  Array<double> layers_;
  Array<double> sums_;
  Array<double> air_columns_;
  Array<double> pushed_;  // wind increments by the vertical remap: eastward, southward
  std::vector<double> own_courant_;
  std::vector<double> own_swept_;
  std::vector<double> own_eastward_;
  std::vector<double> own_southward_;
  std::unique_ptr<bundle::Redistribution> to_columns_;
  std::unique_ptr<bundle::Redistribution> to_layers_;
  std::unique_ptr<bundle::Redistribution> arrived_halo_;
  std::unique_ptr<bundle::Redistribution> wind_halo_;
  std::unique_ptr<bundle::Redistribution> mass_halo_;
};

}  // namespace halocline::numerics
