#include "halocline/coupling/sea.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halocline::coupling {

int Sea::steps(const SeaShape& shape) {
  return static_cast<int>(std::ceil(shape.interval / shape.longest_step));
}

Sea::Sea(const SeaShape& shape, const mpi::Communicator& ranks)
    : steps_(steps(shape)),
      until_(shape.until),
      time_step_(shape.interval / steps_),
      interval_s_(shape.interval.count()),
      thickness_m_(numerics::level_thickness_m(shape.levels)),
      depth_m_(numerics::depth_in_levels_m(shape.mask, shape.grid, thickness_m_)),
      fields_(shape.blocks, ranks.rank(),
              [&mask = shape.mask](layout::Index i, layout::Index j) { return mask.ocean(i, j); }) {
  model_ = std::make_unique<numerics::OceanModel>(numerics::OceanParts{
      .grid = shape.grid,
      .depth_m = depth_m_,
      .thickness_m = thickness_m_,
      .fields = fields_,
      .time_step = time_step_,
      .surface = {.solver = "chronopoulos_gear", .summation = numerics::Summation::reproducible},
      .ranks = ranks,
      .way = shape.way});
  cells_ = model_->surface_cells();
  const layout::Index columns = shape.grid.columns();
  for (const layout::Index cell : cells_) {
    const layout::Index row = cell / columns;
    const auto i = static_cast<double>(cell % columns);
    const auto j = static_cast<double>(row);
    const numerics::Position west = shape.grid.position(i - 0.5, j);
    const numerics::Position east = shape.grid.position(i + 0.5, j);
    const double eastward = std::remainder(east.longitude - west.longitude, 2 * std::numbers::pi) *
                            std::cos((east.latitude + west.latitude) / 2);
    const double northward = east.latitude - west.latitude;
    const double length = std::hypot(eastward, northward);
    turns_.push_back({.cosine = eastward / length, .sine = northward / length});
  }
  begin();
}

void Sea::begin() {
  model_->begin(0);
  temperatures_ = model_->surface_temperatures();
  frozen_w_m2_.assign(cells_.size(), 0.0);
}

void Sea::set_wind(const Input& input) {
  std::vector<double> along_rows;
  std::vector<double> along_columns;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    const auto [cosine, sine] = turns_[cell];
    const double east = input.eastward_n_m2[cell];
    const double north = input.northward_n_m2[cell];
    along_rows.push_back(cosine * east + sine * north);
    along_columns.push_back(cosine * north - sine * east);
  }
  model_->set_wind(along_rows, along_columns);
}

void Sea::run(const Input& input) {
  set_wind(input);
  std::ranges::fill(frozen_w_m2_, 0.0);
  iterations_.clear();
  for (int step = 0; step < steps_; ++step) {
    model_->warm(input.heat_w_m2, input.water_kg_m2_s, time_step_);
    iterations_.push_back(model_->step(until_).iterations);
    model_->freeze(frozen_w_m2_);
  }
  for (double& frozen : frozen_w_m2_) {
    frozen /= interval_s_;
  }
  temperatures_ = model_->surface_temperatures();
}

std::int64_t Sea::operations() const {
  const numerics::OceanModel::Work work = model_->work();
  std::int64_t operations = steps_ * (work.tracer_operations + work.momentum_operations);
  for (const std::int64_t iterations : iterations_) {
    operations += model_->surface().operations(iterations);
  }
  return operations;
}

std::size_t Sea::sent_bytes() const {
  const numerics::OceanModel::Work work = model_->work();
  std::size_t bytes =
      work.wind_halo_bytes + static_cast<std::size_t>(steps_) *
                                 (work.warm_halo_bytes + work.halo_bytes + work.surface_halo_bytes);
  for (const std::int64_t iterations : iterations_) {
    bytes += model_->surface().amounts(numerics::Stage::halo, iterations).sent_bytes;
  }
  return bytes;
}

std::size_t Sea::off_node_bytes(std::span<const int> node_of_rank) const {
  const std::size_t of_step =
      model_->warm_off_node_bytes(node_of_rank) + model_->off_node_bytes(node_of_rank, 0);
  return model_->wind_off_node_bytes(node_of_rank) + static_cast<std::size_t>(steps_) * of_step;
}

std::size_t Sea::numbers_of_cell(layout::Index levels) {
  return numerics::OceanModel::numbers_of_cell(levels) + 1;
}

std::vector<double> Sea::saved() const {
  std::vector<double> numbers = model_->saved();
  numbers.insert(numbers.end(), frozen_w_m2_.begin(), frozen_w_m2_.end());
  return numbers;
}

void Sea::load(std::span<const double> numbers) {
  model_->load(numbers.first(numbers.size() - cells_.size()));
  std::ranges::copy(numbers.last(cells_.size()), frozen_w_m2_.begin());
  temperatures_ = model_->surface_temperatures();
}

}  // namespace halocline::coupling
