#include "halocline/numerics/column_physics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "halocline/numerics/dry_air.hpp"
#include "halocline/numerics/earth.hpp"

namespace halocline::numerics {
namespace {

using dry_air::gas_constant_j_kg_k;
using dry_air::heat_capacity_j_kg_k;

constexpr double degrees = std::numbers::pi / 180;
constexpr double declination = 23.44 * degrees;  // of the sun, at the solstice
constexpr double solar_w_m2 = 1361;
constexpr double albedo = 0.15;
constexpr double least_extinction = 1e-12;   // m²/kg: no layer is completely empty
constexpr double most_scattered = 1 - 1e-9;  // of unabsorbed light: some is always absorbed

constexpr double scale_height_m = 8000;
constexpr double cooling_s = 20 * 86'400;  // until a difference falls to 1/e

// Turbulence as in CAM's free atmosphere: eddy lengths in m, and a stability factor that depends on
// the Richardson number.
constexpr double longest_eddy_m = 30;
constexpr double karman = 0.4;
constexpr double least_shear_s2 = 1e-8;
constexpr double least_mixing_m2_s = 0.01;
constexpr double drag = 2e-3;
constexpr double gust_m_s = 1;

/// Operations per level of a column, counted in the loops below; a root or quotient counts as one.
constexpr std::int64_t mixing_operations = 97;
constexpr std::int64_t lit_operations = 24 + light_operations + 43;  // per band

double eddy_length_m(double height_m) {
  return karman * height_m / (1 + karman * height_m / longest_eddy_m);
}

}  // namespace

/// A band of sunlight: its share, and the effect of 1 kg/m² on it.
struct ColumnPhysics::Band {
  double share;
  double air_scatters;
  std::array<double, air::tracer_count> extinction;
  std::array<double, air::tracer_count> scattered;  // share of the extinction
  std::array<double, air::tracer_count> asymmetry;
};

/// Blue light, red light, and two near-infrared bands: vapour absorbs one weakly, one strongly.
const std::array<ColumnPhysics::Band, ColumnPhysics::lit_bands>& ColumnPhysics::bands() {
  static constexpr std::array<Band, lit_bands> all{{{.share = 0.24,
                                                     .air_scatters = 2.2e-5,
                                                     .extinction = {0, 520, 5000},
                                                     .scattered = {0, 0.93, 0.5},
                                                     .asymmetry = {0, 0.72, 0.62}},
                                                    {.share = 0.26,
                                                     .air_scatters = 5e-6,
                                                     .extinction = {2e-4, 480, 3000},
                                                     .scattered = {0, 0.96, 0.48},
                                                     .asymmetry = {0, 0.69, 0.58}},
                                                    {.share = 0.3,
                                                     .air_scatters = 1e-6,
                                                     .extinction = {4e-3, 400, 1500},
                                                     .scattered = {0, 0.97, 0.4},
                                                     .asymmetry = {0, 0.65, 0.5}},
                                                    {.share = 0.2,
                                                     .air_scatters = 0,
                                                     .extinction = {0.1, 300, 700},
                                                     .scattered = {0, 0.9, 0.3},
                                                     .asymmetry = {0, 0.6, 0.4}}}};
  return all;
}

Place AirGrid::place(layout::Index column) const {
  return {.longitude = first_longitude +
                       2 * std::numbers::pi * columns.longitude(column) / columns.longitudes,
          .latitude = latitudes[static_cast<std::size_t>(columns.latitude(column))]};
}

AirGrid air_grid_of(const SpectralGrid& grid) {
  AirGrid all{.columns = columns_of(grid), .latitudes = {}, .first_longitude = 0};
  for (int row = 0; row < all.columns.latitudes; ++row) {
    all.latitudes.push_back(place_of(grid, all.columns.column(0, row)).latitude);
  }
  return all;
}

AirGrid air_grid_of(const CellGrid& grid) {
  AirGrid all{
      .columns = grid.columns(), .latitudes = {}, .first_longitude = grid.longitude_step / 2};
  for (int row = 0; row < grid.latitudes; ++row) {
    all.latitudes.push_back(std::numbers::pi / 2 - (row + 0.5) * grid.row_step);
  }
  return all;
}

ColumnGrid columns_of(const SpectralGrid& grid) {
  return {.longitudes = grid.longitudes, .latitudes = 2 * grid.latitude_pairs};
}

Place place_of(const SpectralGrid& grid, layout::Index column) {
  const ColumnGrid all = columns_of(grid);
  const int latitude = all.latitude(column);
  const bool north = latitude < grid.latitude_pairs;
  const int pair = north ? latitude : all.latitudes - 1 - latitude;
  const double from_equator = std::asin(grid.rows.sine[static_cast<std::size_t>(pair)]);
  return {.longitude = 2 * std::numbers::pi * all.longitude(column) / all.longitudes,
          .latitude = north ? from_equator : -from_equator};
}

double Sun::cosine(const Place& place) const {
  const double angle = place.longitude + (hour - 12) * 15 * degrees;
  return std::sin(place.latitude) * std::sin(declination) +
         std::cos(place.latitude) * std::cos(declination) * std::cos(angle);
}

AirLevels::AirLevels(int levels) {
  constexpr double coldest = 210;
  constexpr double at_ground = 288;
  constexpr double lapse_k_m = 6.5e-3;
  double above = 0;
  for (int level = 0; level < levels; ++level) {
    const double edge = std::pow(double{1} * (level + 1) / levels, 1.5);
    edges_.push_back(edge);
    shares_.push_back(edge - above);
    middles_.push_back((edge + above) / 2);
    heights_m_.push_back(-scale_height_m * std::log(middles_.back()));
    temperatures_.push_back(std::max(coldest, at_ground - lapse_k_m * heights_m_.back()));
    above = edge;
  }
  heights_m_.push_back(0);
  temperatures_.push_back(at_ground);
}

ColumnPhysics::ColumnPhysics(const AirLevels& levels, Seconds time_step)
    : levels_(levels),
      time_step_s_(time_step.count()),
      winds_(column_lanes, levels.count()),
      heat_(column_lanes, levels.count() + 1),
      masses_(levels.count() + 1),
      exchange_(levels.count() + 1),
      results_(levels.count() + 1),
      heat_w_m2_(levels.count() + 1),
      light_(levels.count()),
      reflected_below_(levels.count() + 1),
      diffuse_below_(levels.count() + 1) {
  state_.fill(std::vector<Lanes>(levels.count() + 1));
}

std::int64_t ColumnPhysics::operations(std::size_t levels, bool sun_is_up) {
  const std::int64_t each =
      mixing_operations + (sun_is_up ? static_cast<std::int64_t>(lit_bands) * lit_operations : 0);
  return each * static_cast<std::int64_t>(levels);
}

std::int64_t ColumnPhysics::cost(std::size_t levels, bool sun_is_up) {
  // Chosen to match costs measured on one core by day and night: 2.4 and 0.45 µs with 26 levels.
  constexpr std::int64_t of_moving = 5;
  constexpr std::int64_t moved = air::count + air::returned;
  constexpr std::int64_t moved_by_light =  // tracers, temperature there and back
      air::tracer_count + 2;
  const std::int64_t values = moved + (sun_is_up ? moved_by_light : 0);
  return operations(levels, sun_is_up) + of_moving * values * static_cast<std::int64_t>(levels);
}

std::vector<double> ColumnPhysics::costs(const AirGrid& grid, int levels, const Sun& sun) {
  std::vector<double> costs;
  for (layout::Index column = 0; column < grid.columns.count(); ++column) {
    costs.push_back(static_cast<double>(
        cost(static_cast<std::size_t>(levels), sun.cosine(grid.place(column)) > 0)));
  }
  return costs;
}

/// Processes columns in packs. The last pack repeats its last column, which is written once or with
/// the same bits.
void ColumnPhysics::step(const ColumnFields& fields, std::span<const double> cosines) {
  const auto in_packs = [](std::span<const std::size_t> columns, auto each) {
    for (std::size_t begin = 0; begin < columns.size(); begin += column_lanes) {
      Columns pack{};
      for (std::size_t lane = 0; lane < column_lanes; ++lane) {
        pack[lane] = columns[std::min(begin + lane, columns.size() - 1)];
      }
      each(pack);
    }
  };
  std::vector<std::size_t> all;
  std::vector<std::size_t> lit;
  for (std::size_t column = 0; column < cosines.size(); ++column) {
    all.push_back(column);
    if (cosines[column] > 0) {
      lit.push_back(column);
    }
  }
  in_packs(lit, [&](const Columns& columns) {
    Lanes cosine{};
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      cosine[lane] = cosines[columns[lane]];
    }
    shine(fields, columns, cosine);
  });
  in_packs(all, [&](const Columns& columns) { mix(fields, columns); });
}

void ColumnPhysics::load(const ColumnFields& fields, const Columns& columns, std::size_t from,
                         std::size_t end) {
  for (std::size_t field = from; field < end; ++field) {
    for (std::size_t level = 0; level <= levels_.count(); ++level) {
      const double* const values = fields.level(field, level);
      Lanes& taken = state_[field][level];
      for (std::size_t lane = 0; lane < column_lanes; ++lane) {
        taken[lane] = values[columns[lane]];
      }
    }
  }
}

void ColumnPhysics::weigh(const ColumnFields& fields, const Columns& columns) {
  load(fields, columns, air::geopotential, air::geopotential + 1);
  const Lanes& pressure = state_[air::geopotential][levels_.count()];
  for (std::size_t level = 0; level <= levels_.count(); ++level) {
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      masses_[level][lane] = levels_.mass(level, pressure[lane]);
    }
  }
}

/// Temperature that a parcel of air gains on its way down to the ground.
double ColumnPhysics::lift(std::size_t level, std::size_t lane) const {
  const std::size_t lowest = levels_.count() - 1;
  return (earth::gravity_m_s2 * levels_.height_m(level) +
          state_[air::geopotential][std::min(level, lowest)][lane]) /
         heat_capacity_j_kg_k;
}

void ColumnPhysics::mix(const ColumnFields& fields, const Columns& columns) {
  weigh(fields, columns);
  load(fields, columns, 0, air::geopotential);
  const std::size_t ground = levels_.count();
  const double cooled = time_step_s_ / cooling_s;
  for (std::size_t level = 0; level <= ground; ++level) {
    Lanes& heat = state_[air::temperature][level];  // mixed as a parcel's conserved quantity
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      heat[lane] += cooled * (levels_.temperature(level) - heat[lane]) + lift(level, lane);
    }
  }
  find_exchange();
  for (std::size_t level = 0; level <= ground; ++level) {
    const bool lowest = level + 1 == ground;
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      const double mass = masses_[level][lane];
      const double down = level < ground ? exchange_[level][lane] : 0;
      if (level < ground) {  // the ground is at rest, whatever the winds do
        winds_.eliminate(level, lane, mass + (lowest ? down : 0), lowest ? 0 : down,
                         {mass * state_[air::eastward][level][lane],
                          mass * state_[air::northward][level][lane]});
      }
      heat_.eliminate(
          level, lane, mass, down,
          {mass * state_[air::temperature][level][lane], mass * state_[air::tracers][level][lane],
           mass * state_[air::tracers + 1][level][lane],
           mass * state_[air::tracers + 2][level][lane]});
    }
  }
  store_pushes(fields, columns);
  for (std::size_t index = 0; index < mixed; ++index) {
    heat_.substitute(index, results_.front().data(), column_lanes, column_lanes);
    for (std::size_t level = 0; level <= ground; ++level) {
      for (std::size_t lane = 0; lane < column_lanes && index == 0; ++lane) {
        results_[level][lane] -= lift(level, lane);
      }
      store(fields, columns, air::temperature + index, level);
    }
  }
}

void ColumnPhysics::store_pushes(const ColumnFields& fields, const Columns& columns) {
  const std::size_t ground = levels_.count();
  const double per_step = 1 / time_step_s_;
  for (const std::size_t field : {air::eastward, air::northward}) {
    winds_.substitute(field, results_.front().data(), column_lanes, column_lanes);
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      results_[ground][lane] = exchange_[ground - 1][lane] * results_[ground - 1][lane] * per_step;
    }
    for (std::size_t level = 0; level <= ground; ++level) {
      for (std::size_t lane = 0; lane < column_lanes && level < ground; ++lane) {
        results_[level][lane] = (results_[level][lane] - state_[field][level][lane]) * per_step;
      }
      store(fields, columns, field, level);
    }
  }
}

void ColumnPhysics::store(const ColumnFields& fields, const Columns& columns, std::size_t field,
                          std::size_t level) const {
  double* const values = fields.level(field, level);
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    values[columns[lane]] = results_[level][lane];
  }
}

/// K = l² |S| F(Ri): eddies grow with the wind's shear, here including its rotation, and with the
/// instability of the column.
void ColumnPhysics::find_exchange() {
  const std::size_t ground = levels_.count();
  const Lanes& pressure = state_[air::geopotential][ground];
  const auto& heat = state_[air::temperature];
  for (std::size_t level = 0; level + 1 < ground; ++level) {
    const std::size_t next = level + 1;
    const double distance_m = levels_.height_m(level) - levels_.height_m(next);
    const double per_square = 1 / (distance_m * distance_m);
    const double length = eddy_length_m((levels_.height_m(level) + levels_.height_m(next)) / 2);
    const double square_length = length * length;
    const double per_warmth = 2 / (levels_.temperature(level) + levels_.temperature(next));
    const double lifts = earth::gravity_m_s2 * per_warmth / distance_m;
    const double carries =
        time_step_s_ * levels_.edge(level) * per_warmth / (gas_constant_j_kg_k * distance_m);
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      const double u = state_[air::eastward][level][lane] - state_[air::eastward][next][lane];
      const double v = state_[air::northward][level][lane] - state_[air::northward][next][lane];
      const double turn =
          (state_[air::vorticity][level][lane] + state_[air::vorticity][next][lane]) / 2;
      const double shear = (u * u + v * v) * per_square + turn * turn + least_shear_s2;
      const double richardson = lifts * (heat[level][lane] - heat[next][lane]) / shear;
      const double stable = richardson > 0 ? richardson : 0;
      const double unstable = richardson < 0 ? richardson : 0;
      const double mixing = square_length * std::sqrt(shear * (1 - 18 * unstable)) /
                                (1 + 10 * stable * (1 + 8 * stable)) +
                            least_mixing_m2_s;
      exchange_[level][lane] = carries * pressure[lane] * mixing;
    }
  }
  const std::size_t lowest = ground - 1;
  const double holds = time_step_s_ * drag / (gas_constant_j_kg_k * levels_.temperature(ground));
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    const double u = state_[air::eastward][lowest][lane];
    const double v = state_[air::northward][lowest][lane];
    exchange_[lowest][lane] =
        holds * pressure[lane] * std::sqrt(u * u + v * v + gust_m_s * gust_m_s);
  }
}

void ColumnPhysics::shine(const ColumnFields& fields, const Columns& columns, const Lanes& cosine) {
  weigh(fields, columns);
  load(fields, columns, air::temperature, air::tracers + air::tracer_count);
  std::ranges::fill(heat_w_m2_, Lanes{});
  for (const Band& band : bands()) {
    shine_in(band, cosine);
  }
  for (std::size_t level = 0; level <= levels_.count(); ++level) {
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      results_[level][lane] =
          state_[air::temperature][level][lane] +
          time_step_s_ * heat_w_m2_[level][lane] / (masses_[level][lane] * heat_capacity_j_kg_k);
    }
    store(fields, columns, air::temperature, level);
  }
}

LayerOptics ColumnPhysics::optics(const Band& band, std::size_t level) const {
  LayerOptics layer{};
  for (std::size_t lane = 0; lane < column_lanes; ++lane) {
    double extinction = band.air_scatters + least_extinction;
    double scattered = band.air_scatters;
    double forward = 0;
    for (std::size_t tracer = 0; tracer < air::tracer_count; ++tracer) {
      const double here = band.extinction[tracer] * state_[air::tracers + tracer][level][lane];
      const double scatters = here * band.scattered[tracer];
      extinction += here;
      scattered += scatters;
      forward += scatters * band.asymmetry[tracer];
    }
    layer.depth[lane] = extinction * masses_[level][lane];
    layer.scattered[lane] = most_scattered * scattered / extinction;
    layer.asymmetry[lane] = forward / (scattered + least_extinction);
  }
  return layer;
}

/// Adds up layers from the ground, then follows light down from the top.
void ColumnPhysics::shine_in(const Band& band, const Lanes& cosine) {
  const std::size_t ground = levels_.count();
  reflected_below_[ground].fill(albedo);
  diffuse_below_[ground].fill(albedo);
  for (std::size_t level = ground; level-- > 0;) {
    light_[level] = light_in(optics(band, level), cosine);
    const LayerLight& layer = light_[level];
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      const double passes = layer.diffuse_transmitted[lane];
      const double diffuse = diffuse_below_[level + 1][lane];
      const double again = passes / (1 - layer.diffuse_reflected[lane] * diffuse);
      reflected_below_[level][lane] =
          layer.reflected[lane] +
          again * (reflected_below_[level + 1][lane] * layer.direct[lane] +
                   diffuse * (layer.transmitted[lane] - layer.direct[lane]));
      diffuse_below_[level][lane] = layer.diffuse_reflected[lane] + diffuse * passes * again;
    }
  }
  Lanes direct{};
  Lanes scattered{};  // light arriving at an edge, direct sunlight excluded
  Lanes reflected_above{};
  Lanes net_above{};
  direct.fill(1);
  for (std::size_t level = 0; level <= ground; ++level) {
    for (std::size_t lane = 0; lane < column_lanes; ++lane) {
      const double arrives = solar_w_m2 * band.share * cosine[lane];
      const double again = 1 / (1 - reflected_above[lane] * diffuse_below_[level][lane]);
      const double rays_up = direct[lane] * reflected_below_[level][lane];
      const double up = again * (rays_up + scattered[lane] * diffuse_below_[level][lane]);
      const double down =
          direct[lane] + again * (scattered[lane] + rays_up * reflected_above[lane]);
      const double net = arrives * (down - up);
      if (level > 0) {
        heat_w_m2_[level - 1][lane] += net_above[lane] - net;
      }
      net_above[lane] = net;
      if (level == ground) {
        heat_w_m2_[level][lane] += net;
        continue;
      }
      const LayerLight& layer = light_[level];
      const double passes = layer.diffuse_transmitted[lane];
      const double through = passes / (1 - layer.diffuse_reflected[lane] * reflected_above[lane]);
      scattered[lane] = direct[lane] * (layer.transmitted[lane] - layer.direct[lane]) +
                        through * (scattered[lane] +
                                   reflected_above[lane] * layer.reflected[lane] * direct[lane]);
      reflected_above[lane] =
          layer.diffuse_reflected[lane] + reflected_above[lane] * passes * through;
      direct[lane] *= layer.direct[lane];
    }
  }
}

}  // namespace halocline::numerics
