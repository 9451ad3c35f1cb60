#include "halocline/numerics/atmosphere_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "halocline/base/error.hpp"
#include "halocline/base/pattern.hpp"
#include "halocline/mpi/agreement.hpp"
#include "halocline/route/lists.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

/// Stable at this truncation, or at this number of latitudes: 225 s at half a degree. On coarse
/// grids of cells the Earth's rotation sets the limit: it pushes winds forwards in time.
Seconds longest_step_of(const AtmosphereShape& shape) {
  constexpr double by_rotation_s = 1800;
  return shape.core == AirCore::spectral
             ? AtmosphereModel::longest_step(shape.truncation)
             : Seconds{std::min(by_rotation_s, 225.0 * 361 / shape.latitudes)};
}

SphereWay sphere_way_of(const AtmosphereShape& shape) {
  return {.along_longitude = shape.along_longitude,
          .along_latitude = shape.dynamics_ranks / shape.along_longitude,
          .legendre = LegendreWay::transpose,
          .reproducible = true,  // gives the physics the same winds on any number of ranks
          .protocol = shape.dynamics_way().protocol};
}

void require_spectral_fit(const AtmosphereShape& shape, const SpectralGrid& grid) {
  const int most = grid.latitude_pairs * shape.along_longitude;
  if (shape.dynamics_ranks > most) {
    throw Skip("dynamics on " + std::to_string(shape.dynamics_ranks) + " ranks: truncation " +
               std::to_string(grid.truncation) + " has " + std::to_string(grid.latitude_pairs) +
               " pairs of latitudes; allowed: up to " + std::to_string(most) +
               "; choose dynamics_ranks=" + std::to_string(most) + " or a larger truncation");
  }
  if (shape.dynamics_ranks % shape.along_longitude != 0) {
    throw Skip("dynamics on " + std::to_string(shape.dynamics_ranks) + " ranks, " +
               std::to_string(shape.along_longitude) +
               " of them along longitude; allowed: multiples; choose another along_longitude");
  }
  const SphereSharing fits(grid, AtmosphereDynamics::groups_of(shape.levels), sphere_way_of(shape));
}

void require_dynamics_fit(const AtmosphereShape& shape, int ranks) {
  if ((shape.dynamics_ranks - 1) * shape.stride >= ranks) {
    throw Skip("dynamics on " + std::to_string(shape.dynamics_ranks) + " of " +
               std::to_string(ranks) + " ranks, " + std::to_string(shape.stride) +
               " apart; allowed: up to " + std::to_string((ranks - 1) / shape.stride + 1) +
               "; choose fewer dynamics_ranks or stride=1");
  }
  const bool stays = shape.balance == Balance::none || shape.balance == Balance::within_process;
  if (stays && shape.dynamics_ranks < ranks) {
    throw Skip("physics stays where the dynamics are, on " + std::to_string(shape.dynamics_ranks) +
               " of " + std::to_string(ranks) +
               " ranks; choose balance=twin, wrapped or sorted, or as many dynamics_ranks");
  }
}

/// Identifies a value in the same way on all ranks, with bits that no arithmetic produces.
double name_of(std::uint64_t seed, std::size_t field, std::size_t level, Index column) {
  constexpr std::size_t most_levels = 1024;
  return static_cast<double>(
      pattern_word(seed,
                   (static_cast<std::size_t>(column) * most_levels + level) * air::count + field) >>
      11U);
}

bundle::Bundle bundle_of(const ColumnFields& fields, std::size_t first, std::size_t end) {
  const layout::Box extent = layout::Box::line(static_cast<Index>(fields.columns))
                                 .with(1, 0, static_cast<Index>(fields.levels));
  bundle::Bundle bundle;
  for (std::size_t field = first; field < end; ++field) {
    bundle.push_back({.data = reinterpret_cast<std::byte*>(fields.level(field, 0)),
                      .element_bytes = sizeof(double),
                      .extent = extent});
  }
  return bundle;
}

}  // namespace

AtmosphereModel::AtmosphereModel(const AtmosphereShape& shape, const mpi::Communicator& world,
                                 Pages pages, std::function<void(AtmospherePhase)> on_phase)
    : shape_(shape),
      world_(world),
      on_phase_(std::move(on_phase)),
      spectral_grid_(shape.core == AirCore::spectral
                         ? std::make_unique<SpectralGrid>(SpectralGrid::of(shape.truncation))
                         : nullptr),
      cell_grid_(shape.core == AirCore::finite_volume
                     ? std::make_unique<CellGrid>(CellGrid::of(shape.latitudes))
                     : nullptr),
      grid_(spectral_grid_ ? air_grid_of(*spectral_grid_) : air_grid_of(*cell_grid_)),
      time_step_(shape.time_step.count() > 0 ? shape.time_step : longest_step_of(shape)),
      levels_(shape.levels),
      sphere_way_(sphere_way_of(shape)),
      physics_(levels_, time_step_) {
  if (spectral_grid_) {
    require_spectral_fit(shape, *spectral_grid_);
  } else {
    const FiniteVolumeSharing fits(*cell_grid_, shape.levels, shape.dynamics_ranks,
                                   shape.along_vertical);
  }
  require_dynamics_fit(shape, world.size());
  const int place = world.rank() / shape.stride;
  const bool in_dynamics = world.rank() % shape.stride == 0 && place < shape.dynamics_ranks;
  dynamics_ranks_ = world.split(in_dynamics ? 0 : -1);
  mpi::agree_on_skip(world, [&] {
    if (dynamics_ranks_) {
      make_dynamics(*dynamics_ranks_, pages);
      home_columns_ = dynamics_->columns();
    }
  });
  deal_columns();
  home_ = Array<double>(air::count * all_levels() * home_columns_.size(), pages);
  pushes_ = Array<double>(air::tracers * all_levels() * home_columns_.size(), pages);
  away_ = Array<double>(air::count * all_levels() * columns_.size(), pages);
  connect(shape.way);
  begin();
}

void AtmosphereModel::make_dynamics(const mpi::Communicator& ranks, Pages pages) {
  if (cell_grid_) {
    dynamics_ =
        std::make_unique<FiniteVolume>(FiniteVolumeParts{.grid = *cell_grid_,
                                                         .levels = levels_,
                                                         .time_step = time_step_,
                                                         .along_vertical = shape_.along_vertical,
                                                         .way = shape_.dynamics_way(),
                                                         .ranks = ranks,
                                                         .on_phase = on_phase_},
                                       pages);
    return;
  }
  auto spectral = std::make_unique<AtmosphereDynamics>(*spectral_grid_, shape_.levels, time_step_,
                                                       sphere_way_, ranks, pages);
  spectral->transform().observe([this](SpherePhase phase) {
    on_phase_(phase == SpherePhase::transpose ? AtmospherePhase::transposes
                                              : AtmospherePhase::dynamics);
  });
  spectral_ = spectral.get();
  dynamics_ = std::move(spectral);
}

/// 20 minutes at T42.
Seconds AtmosphereModel::longest_step(int truncation) {
  return Seconds{std::min(earth::longest_leapfrog_s, 1200.0 * 42 / truncation)};
}

bool AtmosphereModel::finite() {
  const ColumnFields fields = at_home();
  for (std::size_t field = 0; field < air::count; ++field) {
    for (std::size_t level = 0; level < levels_.count(); ++level) {
      const double* const values = fields.level(field, level);
      if (!std::all_of(values, values + home_columns_.size(),
                       [](double value) { return std::isfinite(value); })) {
        return false;
      }
    }
  }
  return true;
}

double AtmosphereModel::bytes(const AtmosphereShape& shape, int ranks) {
  // Of a column: at home, pushes and away, and what both remaps pack and receive.
  const double fields =
      3.0 * air::count +
      (shape.way.near == bundle::Near::messages ? 2.0 * (air::count + air::returned) : 0);
  if (shape.core == AirCore::finite_volume) {
    const CellGrid grid = CellGrid::of(shape.latitudes);
    const double columns = static_cast<double>(grid.columns().count());
    return FiniteVolume::bytes(grid, shape.levels, shape.dynamics_ranks, shape.along_vertical) +
           sizeof(double) * columns * (fields * (shape.levels + 1) / ranks + 3);
  }
  const double t = shape.truncation;
  const double levels = shape.levels + lanes_of<double>;
  const double rows = t * t / 2;
  const double points = 1.5 * t * 3 * t;
  // Two spectral states; coefficients of the transform, and as many while it is checked; Fourier
  // coefficients before and after transposes; points.
  const double of_dynamics =
      (rows * 2 * (2 * 6 + 2 * 9) + 4 * 1.5 * t * t * 9 + 3 * points) * levels;
  const double of_columns = points * (fields * levels + 8);
  return sizeof(double) * (of_dynamics / shape.dynamics_ranks + of_columns / ranks + 3 * points);
}

ColumnFields AtmosphereModel::at_home() {
  return {.first = home_.data(), .levels = all_levels(), .columns = home_columns_.size()};
}

ColumnFields AtmosphereModel::pushes() {
  return {.first = pushes_.data(), .levels = all_levels(), .columns = home_columns_.size()};
}

ColumnFields AtmosphereModel::at_physics() {
  return {.first = away_.data(), .levels = all_levels(), .columns = columns_.size()};
}

void AtmosphereModel::deal_columns() {
  costs_ = ColumnPhysics::costs(grid_, shape_.levels, {.hour = shape_.hour});
  columns_ =
      share_of(shape_.balance, grid_.columns, costs_, home_columns_, world_.rank(), world_.size());
  set_hour(shape_.hour);
}

void AtmosphereModel::set_hour(double hour) {
  const Sun sun{.hour = hour};
  cosines_.clear();
  for (const Index column : columns_) {
    cosines_.push_back(sun.cosine(grid_.place(column)));
  }
}

void AtmosphereModel::connect(const bundle::Way& way) {
  const layout::Box each = layout::Box{}.with(1, 0, static_cast<Index>(all_levels()));
  const layout::Points home(home_columns_, each);
  const layout::Points away(columns_, each);
  const route::Route route = route::redistribution(home, away, world_);
  const bundle::Blocks from{bundle_of(at_home(), 0, air::count)};
  const bundle::Blocks to{bundle_of(at_physics(), 0, air::count)};
  out_ = std::make_unique<bundle::Redistribution>(route, from, to, way, world_);
  bundle::Bundle returned = bundle_of(pushes(), air::eastward, air::temperature);
  std::ranges::copy(bundle_of(at_home(), air::temperature, air::returned),
                    std::back_inserter(returned));
  const bundle::Blocks pushed{bundle_of(at_physics(), 0, air::returned)};
  back_ = std::make_unique<bundle::Redistribution>(route.reversed(), pushed,
                                                   bundle::Blocks{returned}, way, world_);
}

void AtmosphereModel::begin() {
  if (dynamics_) {
    dynamics_->begin();
  }
  std::ranges::fill(pushes_.numbers(), 0.0);
  set_columns();
}

/// A calm atmosphere, moist in the tropics, with plumes of dust and smoke.
void AtmosphereModel::set_columns() {
  const ColumnFields fields = at_home();
  constexpr double vapour_height_m = 2500;
  constexpr double dust_height_m = 4000;
  for (std::size_t column = 0; column < home_columns_.size(); ++column) {
    const Place place = grid_.place(home_columns_[column]);
    const double tropical = std::pow(std::cos(place.latitude), 2);
    const double plume = 1 + std::cos(place.longitude) * tropical;
    for (std::size_t level = 0; level < all_levels(); ++level) {
      const double height_m = levels_.height_m(level);
      fields.at(air::temperature, level, column) = levels_.temperature(level) + 20 * tropical - 10;
      fields.at(air::tracers, level, column) =
          1e-6 + 0.015 * tropical * std::exp(-height_m / vapour_height_m);
      fields.at(air::tracers + 1, level, column) =
          1e-7 * plume * std::exp(-height_m / dust_height_m);
      fields.at(air::tracers + 2, level, column) = 1e-8 * (3 - plume);
    }
  }
}

void AtmosphereModel::step() {
  run_dynamics();
  remap_out();
  run_physics();
  remap_back();
}

void AtmosphereModel::run_dynamics() {
  if (dynamics_) {
    on_phase_(AtmospherePhase::dynamics);
    dynamics_->step(pushes(), at_home());
  }
}

void AtmosphereModel::remap_out() {
  on_phase_(AtmospherePhase::remap_out);
  out_->start();
  out_->finish();
}

void AtmosphereModel::run_physics() {
  on_phase_(AtmospherePhase::physics);
  physics_.step(at_physics(), cosines_);
}

void AtmosphereModel::remap_back() {
  on_phase_(AtmospherePhase::remap_back);
  back_->start();
  back_->finish();
}

std::int64_t AtmosphereModel::changed_on_the_way(std::uint64_t seed) {
  const auto for_each = [&](const ColumnFields& fields, std::span<const Index> columns,
                            std::size_t first, std::size_t end, auto visit) {
    for (std::size_t field = first; field < end; ++field) {
      for (std::size_t level = 0; level < all_levels(); ++level) {
        for (std::size_t column = 0; column < columns.size(); ++column) {
          visit(fields.at(field, level, column), name_of(seed, field, level, columns[column]));
        }
      }
    }
  };
  std::int64_t changed = 0;
  const auto write = [](double& value, double name) { value = name; };
  const auto compare = [&changed](double value, double name) { changed += value == name ? 0 : 1; };
  for_each(at_home(), home_columns_, 0, air::count, write);
  remap_out();
  for_each(at_physics(), columns_, 0, air::count, compare);
  std::ranges::fill(home_.numbers(), 0.0);
  std::ranges::fill(pushes_.numbers(), 0.0);
  remap_back();
  for_each(pushes(), home_columns_, 0, air::temperature, compare);
  for_each(at_home(), home_columns_, air::temperature, air::returned, compare);
  return dynamics_ ? changed + dynamics_->changed_on_the_way(seed) : changed;
}

std::vector<double> AtmosphereModel::tracer_masses() {
  const ColumnFields fields = at_home();
  std::vector<double> masses;
  for (std::size_t tracer = air::tracers; tracer < air::tracers + air::tracer_count; ++tracer) {
    for (std::size_t column = 0; column < home_columns_.size(); ++column) {
      const double pressure = fields.at(air::geopotential, levels_.count(), column);
      double mass = 0;
      for (std::size_t level = 0; level < all_levels(); ++level) {
        mass += levels_.mass(level, pressure) * fields.at(tracer, level, column);
      }
      masses.push_back(mass);
    }
  }
  return masses;
}

std::vector<double> AtmosphereModel::kept() {
  return dynamics_ ? dynamics_->kept(at_home()) : std::vector<double>{};
}

std::uint64_t AtmosphereModel::checksum() {
  const ColumnFields fields = at_physics();
  std::uint64_t sum = 0;
  for (std::size_t field = 0; field < air::returned; ++field) {
    for (std::size_t level = 0; level < all_levels(); ++level) {
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const auto name = std::bit_cast<std::uint64_t>(name_of(0, field, level, columns_[column]));
        sum += pattern_word(std::bit_cast<std::uint64_t>(fields.at(field, level, column)), name);
      }
    }
  }
  return world_.sum(sum);
}

std::size_t AtmosphereModel::lit_columns() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cosines_, [](double cosine) { return cosine > 0; }));
}

std::int64_t AtmosphereModel::physics_operations() const {
  const auto lit = static_cast<std::int64_t>(lit_columns());
  const auto dark = static_cast<std::int64_t>(columns_.size()) - lit;
  return lit * ColumnPhysics::operations(levels_.count(), true) +
         dark * ColumnPhysics::operations(levels_.count(), false);
}

AirWork AtmosphereModel::work_of(AtmospherePhase phase) const {
  switch (phase) {
    case AtmospherePhase::remap_out:
      return {.sent_bytes = out_bytes()};
    case AtmospherePhase::physics:
      return {.operations = physics_operations()};
    case AtmospherePhase::remap_back:
      return {.sent_bytes = back_bytes()};
    default:
      return dynamics_ ? dynamics_->work_of(phase) : AirWork{};
  }
}

std::int64_t AtmosphereModel::dynamics_operations() const {
  return work_of(AtmospherePhase::dynamics).operations +
         work_of(AtmospherePhase::transport).operations +
         work_of(AtmospherePhase::vertical_remap).operations;
}

std::size_t AtmosphereModel::off_node_bytes(std::span<const int> node_of_rank) const {
  std::size_t bytes = out_->off_node_bytes(node_of_rank) + back_->off_node_bytes(node_of_rank);
  if (dynamics_) {
    std::vector<int> node_of_place;
    for (int place = 0; place < shape_.dynamics_ranks; ++place) {
      node_of_place.push_back(
          node_of_rank[static_cast<std::size_t>(place) * static_cast<std::size_t>(shape_.stride)]);
    }
    bytes += dynamics_->off_node_bytes(node_of_place);
  }
  return bytes;
}

}  // namespace halocline::numerics
