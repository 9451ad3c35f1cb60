#include "halocline/coupling/air.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "halocline/coupling/fluxes.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/dry_air.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/sea_water.hpp"

namespace halocline::coupling {

namespace air = numerics::air;
using numerics::ColumnFields;

namespace {

std::vector<double> areas_of(int truncation, std::span<const layout::Index> columns) {
  const auto grid = numerics::SpectralGrid::of(truncation);
  const numerics::ColumnGrid all = numerics::columns_of(grid);
  std::vector<double> areas_m2;
  for (const layout::Index column : columns) {
    const int latitude = all.latitude(column);
    const auto pair = static_cast<std::size_t>(std::min(latitude, all.latitudes - 1 - latitude));
    areas_m2.push_back(grid.rows.weight[pair] * 2 * std::numbers::pi / all.longitudes *
                       numerics::earth::radius_m * numerics::earth::radius_m);
  }
  return areas_m2;
}

}  // namespace

int Air::steps(int truncation, Seconds interval) {
  return static_cast<int>(
      std::ceil(interval.count() / numerics::AtmosphereModel::longest_step(truncation).count()));
}

numerics::AtmosphereShape Air::shape_of(int truncation, int levels, Seconds interval, int ranks,
                                        const bundle::Way& way) {
  const auto grid = numerics::SpectralGrid::of(truncation);
  return {.truncation = truncation,
          .levels = levels,
          .balance = numerics::Balance::twin,
          .dynamics_ranks = std::min(ranks, grid.latitude_pairs),
          .stride = 1,
          .along_longitude = 1,
          .hour = 0,
          .way = way,
          .time_step = interval / steps(truncation, interval)};
}

Air::Air(const numerics::AtmosphereShape& shape, Seconds interval, const mpi::Communicator& ranks,
         Pages pages)
    : steps_(steps(shape.truncation, interval)),
      interval_s_(interval.count()),
      model_(shape, ranks, pages, [](numerics::AtmospherePhase /*phase*/) {}),
      areas_m2_(areas_of(shape.truncation, model_.home_columns())),
      seen_(seen::count * model_.home_columns().size()) {
  begin();
}

void Air::begin() {
  model_.begin();
  std::ranges::fill(seen_, 0.0);
  see(0);
}

void Air::run(std::span<const double> heat_w_m2, std::span<const double> water_kg_m2_s,
              double hour) {
  const ColumnFields fields = model_.at_home();
  const std::size_t ground = model_.levels().count();
  const double skin_kg_m2 = model_.levels().mass(ground, 0);
  for (std::size_t column = 0; column < columns().size(); ++column) {
    fields.at(air::temperature, ground, column) -=
        heat_w_m2[column] * interval_s_ / (skin_kg_m2 * numerics::dry_air::heat_capacity_j_kg_k);
    fields.at(air::tracers, ground, column) += water_kg_m2_s[column] * interval_s_ / skin_kg_m2;
  }
  std::ranges::fill(seen_, 0.0);
  physics_operations_ = 0;
  const double step_s = model_.time_step().count();
  for (int step = 0; step < steps_; ++step) {
    model_.set_hour(std::fmod(hour + step * step_s / 3600, 24));
    model_.step();
    physics_operations_ += model_.physics_operations();
    const ColumnFields pushes = model_.pushes();
    for (std::size_t column = 0; column < columns().size(); ++column) {
      seen_[seen::eastward * columns().size() + column] +=
          pushes.at(air::eastward, ground, column) / steps_;
      seen_[seen::northward * columns().size() + column] +=
          pushes.at(air::northward, ground, column) / steps_;
    }
  }
  see(interval_s_);
}

/// Rains the excess of the air's capacity; nothing if no time has passed.
void Air::see(double rained_s) {
  const ColumnFields fields = model_.at_home();
  const numerics::AirLevels& levels = model_.levels();
  const std::size_t ground = levels.count();
  const std::size_t count = columns().size();
  for (std::size_t column = 0; column < count; ++column) {
    const double pressure = fields.at(air::geopotential, ground, column);
    double rain_kg_m2 = 0;
    for (std::size_t level = 0; level < ground && rained_s > 0; ++level) {
      double& temperature = fields.at(air::temperature, level, column);
      double& vapour = fields.at(air::tracers, level, column);
      const double falls =
          condensed(temperature - kelvin_at_0, vapour, levels.middle(level) * pressure);
      vapour -= falls;
      temperature +=
          numerics::heat_of_evaporation / numerics::dry_air::heat_capacity_j_kg_k * falls;
      rain_kg_m2 += levels.mass(level, pressure) * falls;
    }
    seen_[seen::rain * count + column] = rained_s > 0 ? rain_kg_m2 / rained_s : 0;
    seen_[seen::temperature * count + column] =
        fields.at(air::temperature, ground, column) - kelvin_at_0;
    seen_[seen::vapour * count + column] = fields.at(air::tracers, ground, column);
  }
}

/// The columns' numbers that the next step depends on.
template <class Visit>
void Air::each_kept(Visit visit) {
  const std::size_t levels = model_.levels().count() + 1;
  const auto all = [&](const ColumnFields& fields, std::size_t first, std::size_t end) {
    for (std::size_t field = first; field < end; ++field) {
      for (std::size_t level = 0; level < levels; ++level) {
        visit(std::span(fields.level(field, level), columns().size()));
      }
    }
  };
  all(model_.at_home(), air::temperature, air::tracers + air::tracer_count);
  all(model_.pushes(), air::eastward, air::temperature);
  for (std::size_t field = 0; field < seen::count; ++field) {
    visit(std::span(seen_).subspan(field * columns().size(), columns().size()));
  }
}

std::size_t Air::numbers_of_column(int levels) {
  constexpr std::size_t fields = 1 + air::tracer_count + 2;
  return fields * (static_cast<std::size_t>(levels) + 1) + seen::count;
}

std::vector<double> Air::saved_columns() {
  std::vector<double> numbers;
  each_kept(
      [&](std::span<double> field) { numbers.insert(numbers.end(), field.begin(), field.end()); });
  return numbers;
}

void Air::load_columns(std::span<const double> numbers) {
  std::size_t next = 0;
  each_kept([&](std::span<double> field) {
    std::ranges::copy(numbers.subspan(next, field.size()), field.begin());
    next += field.size();
  });
}

std::vector<layout::Index> Air::rows() {
  return model_.dynamics() != nullptr ? model_.dynamics()->rows() : std::vector<layout::Index>{};
}

std::vector<double> Air::saved_rows() {
  return model_.dynamics() != nullptr ? model_.dynamics()->saved() : std::vector<double>{};
}

void Air::load_rows(std::span<const double> numbers) {
  if (model_.dynamics() != nullptr) {
    model_.dynamics()->load(numbers);
  }
}

void Air::resume(std::int64_t intervals) {
  if (model_.dynamics() != nullptr) {
    model_.dynamics()->resume(intervals * steps_);
  }
}

std::int64_t Air::operations() const {
  return steps_ * model_.dynamics_operations() + physics_operations_;
}

std::size_t Air::sent_bytes() const {
  return static_cast<std::size_t>(steps_) *
         (model_.transpose_bytes() + model_.out_bytes() + model_.back_bytes());
}

std::size_t Air::off_node_bytes(std::span<const int> node_of_rank) const {
  return static_cast<std::size_t>(steps_) * model_.off_node_bytes(node_of_rank);
}

}  // namespace halocline::coupling
