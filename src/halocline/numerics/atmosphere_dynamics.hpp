#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halocline/numerics/air_dynamics.hpp"
#include "halocline/numerics/shallow_water.hpp"

namespace halocline::numerics {

/// Spectral dynamics of an atmosphere, on a rank that takes part in them: the shallow water
/// equations at each level. They give the columns their winds, and the columns push the winds.
class AtmosphereDynamics final : public AirDynamics {
 public:
  /// Collective over `ranks`, as all below. Grid, way and ranks must outlive it.
  AtmosphereDynamics(const SpectralGrid& grid, int levels, Seconds time_step, const SphereWay& way,
                     const mpi::Communicator& ranks, Pages pages);

  static int groups_of(int levels);

  const std::vector<layout::Index>& columns() const override { return columns_; }

  void begin() override;
  void step(const ColumnFields& pushes, const ColumnFields& air) override;
  /// The mean height of a level, in m.
  std::vector<double> kept(const ColumnFields& /*air*/) override {
    return {water_.invariants(state_).mass};
  }

  /// Numbers of this rank's rows of spectral coefficients, by order and degree.
  std::vector<layout::Index> rows() const;
  static layout::Index all_rows(int truncation);
  /// Of a row, at both times.
  static std::size_t numbers_of_row(int levels);
  /// One after the other of all rows.
  std::vector<double> saved() const;
  void load(std::span<const double> numbers);
  /// As after so many steps, whose numbers have been loaded.
  void resume(std::int64_t steps) { state_.steps = steps; }

  SphereTransform<double>& transform() { return transform_; }
  /// All transforms are in the first phase, without what the columns add.
  AirWork work_of(AtmospherePhase phase) const override;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const override {
    return transform_.off_node_bytes(node_of_rank);
  }

 private:
  static constexpr int test_case = 2;  // a steady flow from west to east

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
