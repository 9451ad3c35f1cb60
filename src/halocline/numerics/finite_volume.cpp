#include "halocline/numerics/finite_volume.hpp"

#include <algorithm>
#include <cmath>

#include "halocline/base/pattern.hpp"
#include "halocline/numerics/dry_air.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/exact_sum.hpp"
#include "halocline/numerics/global_sum.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double adiabatic_exponent = 2.0 / 7;
constexpr double fastest_wind_m_s = 60;
constexpr double first_wind_m_s = 20;
constexpr double first_wave = 0.01;  // of the mass, of opposite sign at top and bottom

double fastest_wave_m_s() { return std::sqrt(dry_air::thickness_m2_s2) + fastest_wind_m_s; }

std::vector<Index> columns_in(const ColumnGrid& grid, const layout::Box& box) {
  std::vector<Index> columns;
  for (Index row = box.lower[1]; row < box.upper[1]; ++row) {
    for (Index longitude = box.lower[0]; longitude < box.upper[0]; ++longitude) {
      columns.push_back(grid.column(static_cast<int>(longitude), static_cast<int>(row)));
    }
  }
  return columns;
}

/// Operations per cell, counted in the loops of parabolas.hpp and their callers.
constexpr std::int64_t of_parabola = 8 + 5 + 8 + 14;
constexpr std::int64_t of_transport = 2 * of_parabola + 6 + 7 + 8;
constexpr std::int64_t of_winds = 2 * of_parabola + 16 + 8 + 12 + 8 + 8;

}  // namespace

FiniteVolume::FiniteVolume(const FiniteVolumeParts& parts, Pages pages)
    : parts_(parts),
      grid_(parts.grid),
      levels_(parts.levels),
      sharing_(parts.grid, static_cast<int>(parts.levels.count()), parts.ranks.size(),
               parts.along_vertical),
      box_(sharing_.layers_of(parts.ranks.rank())),
      rows_(sharing_.rows_of(parts.ranks.rank())),
      columns_(columns_in(parts.grid.columns(), sharing_.columns_of(parts.ranks.rank()))),
      transport_(parts.grid, rows_),
      winds_(parts.grid, rows_, parts.time_step / small_steps, fastest_wave_m_s()),
      remap_(parts.levels),
      layers_(layer_count * own_levels() * rows_.size(), pages),
      sums_(sum_count * own_levels() * rows_.edges_size(), pages),
      air_columns_(column_count * levels_.count() * columns_.size(), pages),
      pushed_(2 * levels_.count() * columns_.size(), pages),
      own_courant_(rows_.size()),
      own_swept_(rows_.edges_size()),
      own_eastward_(rows_.edges_size()),
      own_southward_(rows_.edges_size()) {
  for (std::size_t level = 0; level < levels_.count(); ++level) {
    potentials_.push_back(std::pow(levels_.middle(level), -adiabatic_exponent));
  }
  connect();
}

FiniteVolume::~FiniteVolume() = default;

double FiniteVolume::bytes(const CellGrid& grid, int levels, int ranks, int along_vertical) {
  const double cells = 1.0 * grid.latitudes * grid.longitudes * levels / ranks;
  const double ghost_cells = 2.0 * CellRows::ghosts * grid.longitudes * levels / along_vertical;
  constexpr std::size_t pushed_fields = 2;
  constexpr std::size_t fields =
      std::size_t{layer_count} + std::size_t{sum_count} + std::size_t{column_count} + pushed_fields;
  return sizeof(double) * (cells * static_cast<double>(fields) +
                           ghost_cells * static_cast<double>(std::size_t{layer_count}));
}

bundle::Field FiniteVolume::layer_field(std::size_t field) {
  return {.data = reinterpret_cast<std::byte*>(layer(field, 0)),
          .element_bytes = sizeof(double),
          .extent = box_.widened(1, CellRows::ghosts)};
}

/// Own rows of a field that may have one more edge.
bundle::Field FiniteVolume::sum_field(Sum field) {
  return {.data = reinterpret_cast<std::byte*>(sum(field, 0)),
          .element_bytes = sizeof(double),
          .extent = box_.with(1, box_.lower[1], box_.upper[1] + 1)};
}

bundle::Field FiniteVolume::column_field(std::size_t field) {
  return {.data = reinterpret_cast<std::byte*>(all_columns().level(field, 0)),
          .element_bytes = sizeof(double),
          .extent = sharing_.columns_of(parts_.ranks.rank())};
}

void FiniteVolume::connect() {
  const auto make = [this](const route::Route& route, const bundle::Bundle& from,
                           const bundle::Bundle& to) {
    return std::make_unique<bundle::Redistribution>(route, bundle::Blocks{from}, bundle::Blocks{to},
                                                    parts_.way, parts_.ranks);
  };
  bundle::Bundle carried;
  for (std::size_t index = 0; index < air::tracer_count; ++index) {
    carried.push_back(layer_field(tracers + index));
  }
  const auto with_carried = [&carried](bundle::Bundle fields) {
    std::ranges::copy(carried, std::back_inserter(fields));
    return fields;
  };
  bundle::Bundle columns;
  for (std::size_t field = 0; field < column_count; ++field) {
    columns.push_back(column_field(field));
  }
  const route::Route out = sharing_.layers_to_columns(parts_.ranks);
  bundle::Bundle from = with_carried(
      {layer_field(mass), sum_field(cell_eastward), sum_field(cell_southward), layer_field(heat)});
  from.push_back(sum_field(cell_vorticity));
  to_columns_ = make(out, from, columns);
  columns.pop_back();
  to_layers_ = make(out.reversed(), columns,
                    with_carried({layer_field(mass), sum_field(cell_eastward),
                                  layer_field(push_southward), layer_field(heat)}));
  const route::Route halo = sharing_.halo(parts_.ranks);
  const auto halo_of = [&](const bundle::Bundle& fields) { return make(halo, fields, fields); };
  arrived_halo_ =
      halo_of(with_carried({layer_field(mass), layer_field(push_southward), layer_field(heat)}));
  wind_halo_ = halo_of({layer_field(eastward), layer_field(southward)});
  mass_halo_ = halo_of({layer_field(mass)});
}

/// A flow from west to east in balance with the pressure, with a wave on top.
void FiniteVolume::begin() {
  const ColumnFields fields = all_columns();
  std::ranges::fill(pushed_.numbers(), 0.0);
  const AirGrid grid = air_grid_of(grid_);
  const double slope = (earth::radius_m * earth::rotation_per_s * first_wind_m_s +
                        first_wind_m_s * first_wind_m_s / 2) /
                       dry_air::thickness_m2_s2;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const Place place = grid.place(columns_[column]);
    const double sine = std::sin(place.latitude);
    const double cosine = std::cos(place.latitude);
    const double wave = first_wave * cosine * cosine * std::cos(2 * place.longitude) +
                        first_wave * cosine * std::cos(place.longitude);
    for (std::size_t level = 0; level < levels_.count(); ++level) {
      fields.at(column_mass, level, column) =
          levels_.share(level) * dry_air::mean_pressure_pa *
          (1 - slope * sine * sine + wave * (1 - 2 * levels_.middle(level)));
    }
  }
  for (std::size_t level = 0; level < own_levels(); ++level) {
    double* const east = layer(eastward, level);
    for (int row = rows_.begin; row < rows_.end; ++row) {
      std::fill_n(east + rows_.at(row), rows_.width(),
                  first_wind_m_s * grid_.row_cosine[static_cast<std::size_t>(row)]);
    }
    std::fill_n(layer(southward, level), rows_.size(), 0.0);
  }
}

void FiniteVolume::step(const ColumnFields& pushes, const ColumnFields& air) {
  parts_.on_phase(AtmospherePhase::dynamics);
  take(pushes, air);
  exchange(AtmospherePhase::transposes, *to_layers_);
  exchange(AtmospherePhase::halos, *arrived_halo_);
  parts_.on_phase(AtmospherePhase::dynamics);
  push_by_columns();
  exchange(AtmospherePhase::halos, *wind_halo_);
  for (int small = 0; small < small_steps; ++small) {
    parts_.on_phase(AtmospherePhase::dynamics);
    fill_poles(mass);
    fill_poles(eastward);
    for (std::size_t level = 0; level < own_levels(); ++level) {
      push_winds(level);
    }
    exchange(AtmospherePhase::halos, *wind_halo_);
    parts_.on_phase(AtmospherePhase::dynamics);
    fill_poles(eastward);
    for (std::size_t level = 0; level < own_levels(); ++level) {
      carry_mass(level, small == 0);
    }
    if (small + 1 < small_steps) {
      exchange(AtmospherePhase::halos, *mass_halo_);
    }
  }
  parts_.on_phase(AtmospherePhase::transport);
  for (std::size_t level = 0; level < own_levels(); ++level) {
    carry_all(level);
  }
  exchange(AtmospherePhase::transposes, *to_columns_);
  parts_.on_phase(AtmospherePhase::vertical_remap);
  give(air);
}

void FiniteVolume::exchange(AtmospherePhase phase, bundle::Redistribution& fields) {
  parts_.on_phase(phase);
  fields.start();
  fields.finish();
}

/// Takes the columns' fields, and the wind increments by the physics and by air from other levels.
void FiniteVolume::take(const ColumnFields& pushes, const ColumnFields& air) {
  const ColumnFields fields = all_columns();
  const double step_s = parts_.time_step.count();
  const std::size_t count = columns_.size();
  for (std::size_t level = 0; level < levels_.count(); ++level) {
    const double* const by_remap = pushed_.data() + level * count;
    const double* const by_remap_southward = by_remap + levels_.count() * count;
    const double* const east_push = pushes.level(air::eastward, level);
    const double* const north_push = pushes.level(air::northward, level);
    const double* const temperature = air.level(air::temperature, level);
    double* const east = fields.level(column_eastward, level);
    double* const south = fields.level(column_southward, level);
    double* const kept_heat = fields.level(column_heat, level);
    for (std::size_t column = 0; column < count; ++column) {
      east[column] = by_remap[column] + step_s * east_push[column];
      south[column] = by_remap_southward[column] - step_s * north_push[column];
      kept_heat[column] = potential(level) * temperature[column];
    }
    for (std::size_t index = 0; index < air::tracer_count; ++index) {
      std::copy_n(air.level(air::tracers + index, level), count,
                  fields.level(column_tracers + index, level));
    }
  }
}

void FiniteVolume::push_by_columns() {
  for (std::size_t level = 0; level < own_levels(); ++level) {
    std::copy_n(layer(mass, level), rows_.size(), layer(mass_before, level));
    const std::size_t width = rows_.width();
    for (int row = rows_.begin; row < rows_.end; ++row) {
      const double* const push = sum(cell_eastward, level) + rows_.edge_at(row);
      double* const east = layer(eastward, level) + rows_.at(row);
      with_west(width,
                [&](std::size_t k, std::size_t west) { east[k] += 0.5 * (push[west] + push[k]); });
      if (row > 0) {
        const double* const south_push = layer(push_southward, level) + rows_.at(row);
        double* const south = layer(southward, level) + rows_.at(row);
        for (std::size_t k = 0; k < width; ++k) {
          south[k] += 0.5 * (south_push[k - width] + south_push[k]);
        }
      }
    }
  }
}

void FiniteVolume::fill_poles(std::size_t field) {
  for (std::size_t level = 0; level < own_levels(); ++level) {
    fill_beyond_poles(grid_, rows_, layer(field, level));
  }
}

void FiniteVolume::push_winds(std::size_t level) {
  const auto index = static_cast<std::size_t>(box_.lower[2]) + level;
  winds_.push({.eastward = layer(eastward, level), .southward = layer(southward, level)},
              layer(mass, level),
              dry_air::thickness_m2_s2 / (dry_air::mean_pressure_pa * levels_.share(index)));
}

/// Transports mass in each small step; the total moved carries the tracers.
void FiniteVolume::carry_mass(std::size_t level, bool first) {
  winds_.find_paths({.eastward = layer(eastward, level), .southward = layer(southward, level)},
                    own_courant_.data(), own_swept_.data());
  transport_.carry_mass({.courant = own_courant_.data(), .swept = own_swept_.data()},
                        layer(mass, level),
                        {.eastward = own_eastward_.data(), .southward = own_southward_.data()});
  const auto add = [first](const std::vector<double>& own, double* all) {
    for (std::size_t k = 0; k < own.size(); ++k) {
      all[k] = first ? own[k] : all[k] + own[k];
    }
  };
  add(own_courant_, layer(courant, level));
  add(own_swept_, sum(swept, level));
  add(own_eastward_, sum(flux_eastward, level));
  add(own_southward_, sum(flux_southward, level));
}

void FiniteVolume::carry_all(std::size_t level) {
  const LayerPaths paths{.courant = layer(courant, level), .swept = sum(swept, level)};
  const LayerFluxes fluxes{.eastward = sum(flux_eastward, level),
                           .southward = sum(flux_southward, level)};
  for (std::size_t field = heat; field < tracers + air::tracer_count; ++field) {
    double* const carried = layer(field, level);
    fill_beyond_poles(grid_, rows_, carried);
    transport_.carry(paths, fluxes, layer(mass_before, level), layer(mass, level), carried);
  }
  winds_.find_cells({.eastward = layer(eastward, level), .southward = layer(southward, level)},
                    {.eastward = sum(cell_eastward, level),
                     .southward = sum(cell_southward, level),
                     .vorticity = sum(cell_vorticity, level)});
}

/// Remaps the layers to their levels, and gives the columns what the physics needs.
void FiniteVolume::give(const ColumnFields& air) {
  const ColumnFields fields = all_columns();
  const std::size_t count = columns_.size();
  for (std::size_t level = 0; level < levels_.count(); ++level) {
    for (const std::size_t wind : {column_eastward, column_southward}) {
      std::copy_n(fields.level(wind, level), count,
                  pushed_.data() + ((wind - column_eastward) * levels_.count() + level) * count);
    }
  }
  remap_.step(fields, column_eastward, column_vorticity);
  const std::size_t ground = levels_.count();
  const double* const highest = fields.level(column_mass, 0);
  double* const pressure = air.level(air::geopotential, ground);
  for (std::size_t column = 0; column < count; ++column) {
    pressure[column] = highest[column] / levels_.share(0);
  }
  for (std::size_t level = 0; level < levels_.count(); ++level) {
    const double per_potential = 1 / potential(level);
    double* const by_remap = pushed_.data() + level * count;
    double* const by_remap_southward = by_remap + levels_.count() * count;
    const double* const east = fields.level(column_eastward, level);
    const double* const south = fields.level(column_southward, level);
    const double* const kept_heat = fields.level(column_heat, level);
    for (std::size_t column = 0; column < count; ++column) {
      by_remap[column] = east[column] - by_remap[column];
      by_remap_southward[column] = south[column] - by_remap_southward[column];
      air.at(air::eastward, level, column) = east[column];
      air.at(air::northward, level, column) = -south[column];
      air.at(air::temperature, level, column) = per_potential * kept_heat[column];
      air.at(air::geopotential, level, column) =
          dry_air::thickness_m2_s2 * (pressure[column] / dry_air::mean_pressure_pa - 1);
    }
    std::copy_n(fields.level(column_vorticity, level), count, air.level(air::vorticity, level));
    for (std::size_t index = 0; index < air::tracer_count; ++index) {
      std::copy_n(fields.level(column_tracers + index, level), count,
                  air.level(air::tracers + index, level));
    }
  }
}

std::vector<double> FiniteVolume::kept(const ColumnFields& air) {
  const double* const pressure = air.level(air::geopotential, levels_.count());
  constexpr std::size_t quantities = 1 + air::tracer_count;
  std::vector<double> bins(quantities * ExactSum::bins, 0.0);
  std::vector<double> masses(columns_.size());
  for (std::size_t quantity = 0; quantity < quantities; ++quantity) {
    const std::span<double, ExactSum::bins> sum{bins.data() + quantity * ExactSum::bins,
                                                ExactSum::bins};
    for (std::size_t level = 0; level < levels_.count(); ++level) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const int row = grid_.columns().latitude(columns_[column]);
        const double share = quantity == 0 ? 1 : air.at(air::tracers + quantity - 1, level, column);
        masses[column] = grid_.row_weight[static_cast<std::size_t>(row)] * share *
                         levels_.share(level) * pressure[column];
      }
      ExactSum::add(masses, sum);
    }
  }
  const auto over_all = GlobalSum::named("flat", parts_.ranks, bins.size());
  over_all->start(bins);
  over_all->finish();
  std::vector<double> kept;
  for (std::size_t quantity = 0; quantity < quantities; ++quantity) {
    kept.push_back(ExactSum::value(std::span<const double, ExactSum::bins>{
        bins.data() + quantity * ExactSum::bins, ExactSum::bins}));
  }
  return kept;
}

std::int64_t FiniteVolume::changed_on_the_way(std::uint64_t seed) {
  const ColumnFields fields = all_columns();
  const auto name = [&](std::size_t field, std::size_t level, std::size_t column) {
    const auto place = (static_cast<std::size_t>(columns_[column]) * levels_.count() + level);
    return static_cast<double>(pattern_word(seed, place * column_count + field) >> 11U);
  };
  const auto for_each = [&](auto visit) {
    for (std::size_t field = 0; field < column_vorticity; ++field) {
      for (std::size_t level = 0; level < levels_.count(); ++level) {
        for (std::size_t column = 0; column < columns_.size(); ++column) {
          visit(fields.at(field, level, column), name(field, level, column));
        }
      }
    }
  };
  for_each([](double& value, double named) { value = named; });
  exchange(AtmospherePhase::transposes, *to_layers_);
  std::ranges::fill(air_columns_.numbers(), 0.0);
  for (std::size_t level = 0; level < own_levels(); ++level) {
    std::copy_n(layer(push_southward, level) + rows_.at(rows_.begin),
                static_cast<std::size_t>(rows_.count()) * rows_.width(),
                sum(cell_southward, level));
  }
  exchange(AtmospherePhase::transposes, *to_columns_);
  std::int64_t changed = 0;
  for_each([&changed](double value, double named) { changed += value == named ? 0 : 1; });
  return changed;
}

AirWork FiniteVolume::work_of(AtmospherePhase phase) const {
  const auto cells = static_cast<std::int64_t>(box_.volume());
  switch (phase) {
    case AtmospherePhase::dynamics:
      return {.operations = cells * small_steps * (of_winds + of_transport)};
    case AtmospherePhase::transport:
      return {.operations =
                  cells * static_cast<std::int64_t>(1 + air::tracer_count) * of_transport};
    case AtmospherePhase::vertical_remap:
      return {.operations =
                  static_cast<std::int64_t>(columns_.size()) *
                  VerticalRemap::operations(levels_.count(), column_vorticity - column_eastward)};
    case AtmospherePhase::transposes:
      return {.sent_bytes = to_columns_->sent_bytes() + to_layers_->sent_bytes()};
    case AtmospherePhase::halos:
      return {.sent_bytes = arrived_halo_->sent_bytes() +
                            (small_steps + 1) * wind_halo_->sent_bytes() +
                            (small_steps - 1) * mass_halo_->sent_bytes()};
    default:
      return {};
  }
}

std::size_t FiniteVolume::off_node_bytes(std::span<const int> node_of_rank) const {
  const auto bytes = [node_of_rank](const std::unique_ptr<bundle::Redistribution>& fields) {
    return fields->off_node_bytes(node_of_rank);
  };
  return bytes(to_columns_) + bytes(to_layers_) + bytes(arrived_halo_) +
         (small_steps + 1) * bytes(wind_halo_) + (small_steps - 1) * bytes(mass_halo_);
}

}  // namespace halocline::numerics
