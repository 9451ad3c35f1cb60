#pragma once

#include <memory>
#include <span>
#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/numerics/ocean_model.hpp"

namespace halocline::coupling {

/// What the sea consists of; all of it must outlive it.
struct SeaShape {
  const numerics::DisplacedPoleGrid& grid;
  const numerics::OceanMask& mask;
  const layout::Blocks& blocks;
  layout::Index levels;
  Seconds longest_step;
  Seconds interval;      // between two couplings
  numerics::Stop until;  // of the barotropic solver
  bundle::Way way;
};

/// The ocean as a component.
class Sea {
 public:
  /// Collective, as all below that step.
  Sea(const SeaShape& shape, const mpi::Communicator& ranks);

  static int steps(const SeaShape& shape);

  void begin();
  /// What enters each cell, with the stress of wind and ice in N/m².
  struct Input {
    std::vector<double> heat_w_m2;
    std::vector<double> water_kg_m2_s;
    std::vector<double> eastward_n_m2;
    std::vector<double> northward_n_m2;
  };
  void run(const Input& input);

  /// The indices of this rank's cells in the grid, row by row.
  const std::vector<layout::Index>& cells() const { return cells_; }
  std::vector<double> areas_m2() const { return model_->surface_areas_m2(); }
  std::span<const double> temperatures() const { return temperatures_; }
  /// The heat of freezing since the last coupling.
  std::span<const double> frozen_w_m2() const { return frozen_w_m2_; }
  // Of this rank in the last interval.
  std::int64_t operations() const;
  std::size_t sent_bytes() const;
  /// Of any interval, a lower bound: for steps whose solver does not iterate.
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

  static std::size_t numbers_of_cell(layout::Index levels);
  std::vector<double> saved() const;
  void load(std::span<const double> numbers);

 private:
  /// The grid's directions at a cell.
  struct Turn {
    double cosine;  // of the angle from east to the direction of rows
    double sine;
  };

  void set_wind(const Input& input);

  int steps_;
  numerics::Stop until_;
  Seconds time_step_;
  double interval_s_;
  std::vector<double> thickness_m_;
  LargeVector<float> depth_m_;
  numerics::BlockFields fields_;
  std::unique_ptr<numerics::OceanModel> model_;
  std::vector<layout::Index> cells_;
  std::vector<Turn> turns_;
  std::vector<double> temperatures_;
  std::vector<double> frozen_w_m2_;
  std::vector<std::int64_t> iterations_;  // of the solver in each step of the last interval
};

}  // namespace halocline::coupling
