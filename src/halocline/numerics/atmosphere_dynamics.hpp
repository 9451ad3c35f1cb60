#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halocline/numerics/air_dynamics.hpp"
#include "halocline/numerics/round_trip.hpp"
#include "halocline/numerics/shallow_water.hpp"

namespace halocline::numerics {

/// Spectral atmosphere dynamics on a participating rank: the shallow water equations at each level.
/// They supply the columns' winds; the columns return wind tendencies.
class AtmosphereDynamics final : public AirDynamics {
 public:
  /// Collective over `ranks`, as are all calls below. Grid, way and ranks must outlive it.
  AtmosphereDynamics(const SpectralGrid& grid, int levels, Seconds time_step, const SphereWay& way,
                     const mpi::Communicator& ranks, Pages pages);

  static int groups_of(int levels);

  const std::vector<layout::Index>& columns() const override { return columns_; }

  void begin() override;
  void step(const ColumnFields& pushes, const ColumnFields& air) override;
  /// Mean height of a level, in m.
  std::vector<double> kept(const ColumnFields& /*air*/) override {
    return {water_.invariants(state_).mass};
  }
  /// Of spherical harmonic coefficients, transformed to the grid and back.
  std::int64_t changed_on_the_way(std::uint64_t seed) override {
    return changed_by_round_trip(transform_, seed).count;
  }

  /// Global indices of this rank's rows of spectral coefficients, numbered by order, then degree.
  std::vector<layout::Index> rows() const;
  static layout::Index all_rows(int truncation);
  /// Values per row, for both time levels.
  static std::size_t numbers_of_row(int levels);
  /// numbers_of_row() values for each row: [value][row].
  std::vector<double> saved() const;
  void load(std::span<const double> numbers);
  /// Continues as after this many steps, whose state load() has restored.
  void resume(std::int64_t steps) { state_.steps = steps; }

  SphereTransform<double>& transform() { return transform_; }
  /// Counts all transforms towards the first phase, without the columns' contribution.
  AirWork work_of(AtmospherePhase phase) const override;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return transform_.off_node_bytes(node_of_rank);
  }

 private:
  static constexpr int test_case = 2;  // steady flow from west to east

  std::size_t rows_here() const { return static_cast<std::size_t>(transform_.rows().count()); }
  void exchange_with(const GridBatch<double>& batch, const ColumnFields& pushes,
                     const ColumnFields& air) const;

  const SpectralGrid& grid_;
  int levels_;
  std::unique_ptr<WilliamsonCase> test_;
  SphereTransform<double> transform_;
  ShallowWater<double> water_;
  ShallowWaterState<double> first_;
  ShallowWaterState<double> state_;
  std::vector<layout::Index> columns_;
};

}  // namespace halocline::numerics
