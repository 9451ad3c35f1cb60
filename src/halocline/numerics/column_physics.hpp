#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/numerics/cell_grid.hpp"
#include "halocline/numerics/column_mixing.hpp"
#include "halocline/numerics/column_shares.hpp"
#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/numerics/two_stream.hpp"
#include "halocline/numerics/williamson.hpp"

namespace halocline::numerics {

/// What columns have at each level, the highest first, and below them at the ground. After the
/// physics the winds' places hold what pushes the winds, in m/s²; at the ground, the stress.
namespace air {
inline constexpr std::size_t eastward = 0;
inline constexpr std::size_t northward = 1;
inline constexpr std::size_t temperature = 2;
inline constexpr std::size_t tracers = 3;  // vapour, dust and smoke, in kg/kg
inline constexpr std::size_t tracer_count = 3;
inline constexpr std::size_t vorticity = 6;
/// What is above its mean; at the ground, the air's pressure in Pa.
inline constexpr std::size_t geopotential = 7;
inline constexpr std::size_t count = 8;
inline constexpr std::size_t returned = 6;  // the first ones, from the physics to the dynamics
}  // namespace air

/// Columns side by side in memory: [field][level][column].
struct ColumnFields {
  double* first;
  std::size_t levels;   // with the ground
  std::size_t columns;  // in memory

  double* level(std::size_t field, std::size_t level) const {
    return first + (field * levels + level) * columns;
  }
  double& at(std::size_t field, std::size_t level, std::size_t column) const {
    return this->level(field, level)[column];
  }
};

/// Where the columns of a grid are.
struct AirGrid {
  ColumnGrid columns;
  std::vector<double> latitudes;
  double first_longitude;

  Place place(layout::Index column) const;
};

AirGrid air_grid_of(const SpectralGrid& grid);
AirGrid air_grid_of(const CellGrid& grid);

/// The same of a spectral grid.
ColumnGrid columns_of(const SpectralGrid& grid);
Place place_of(const SpectralGrid& grid, layout::Index column);

/// The sun at the solstice of June, at an hour of Greenwich.
struct Sun {
  double hour;

  /// Of its angle to the vertical; 0 or less where it is down.
  double cosine(const Place& place) const;
};

/// How thick levels of air are, and where they lie.
class AirLevels {
 public:
  explicit AirLevels(int levels);

  std::size_t count() const { return shares_.size(); }
  double share(std::size_t level) const { return shares_[level]; }        // of the air's pressure
  double middle(std::size_t level) const { return middles_[level]; }      // the same, from the top
  double edge(std::size_t level) const { return edges_[level]; }          // its lower one
  double height_m(std::size_t level) const { return heights_m_[level]; }  // its middle's
  /// That a calm atmosphere has; the ground counts as the level below.
  double temperature(std::size_t level) const { return temperatures_[level]; }

  /// In kg/m², of air of this pressure at the ground; the ground counts as the level below.
  double mass(std::size_t level, double pressure) const {
    return level < count() ? shares_[level] * pressure / earth::gravity : ground_mass;
  }

 private:
  static constexpr double ground_mass = 500;

  std::vector<double> shares_;
  std::vector<double> middles_;
  std::vector<double> edges_;
  std::vector<double> heights_m_;
  std::vector<double> temperatures_;
};

/// What happens within columns of air in a time step: turbulence mixes winds, heat and tracers
/// along the column and with the ground; where the sun is up, its light heats.
///
/// Each column has the same bits next to any others.
class ColumnPhysics {
 public:
  ColumnPhysics(const AirLevels& levels, Seconds time_step);

  /// `cosines` of the sun's angle, one a column.
  void step(const ColumnFields& fields, std::span<const double> cosines);

  /// Floating-point operations of a column.
  static std::int64_t operations(std::size_t levels, bool sun_is_up);
  /// What it costs, in operations: those of arithmetic, and as many as moving its values takes.
  static std::int64_t cost(std::size_t levels, bool sun_is_up);
  /// The same of each column of a grid.
  static std::vector<double> costs(const AirGrid& grid, int levels, const Sun& sun);

 private:
  static constexpr std::size_t lit_bands = 4;
  static constexpr std::size_t mixed = 1 + air::tracer_count;  // heat and tracers

  using Columns = std::array<std::size_t, column_lanes>;
  struct Band;

  static const std::array<Band, lit_bands>& bands();
  void load(const ColumnFields& fields, const Columns& columns, std::size_t from, std::size_t end);
  void weigh(const ColumnFields& fields, const Columns& columns);
  double lift(std::size_t level, std::size_t lane) const;
  void mix(const ColumnFields& fields, const Columns& columns);
  void store_pushes(const ColumnFields& fields, const Columns& columns);
  void store(const ColumnFields& fields, const Columns& columns, std::size_t field,
             std::size_t level) const;
  void find_exchange();
  void shine(const ColumnFields& fields, const Columns& columns, const Lanes& cosine);
  void shine_in(const Band& band, const Lanes& cosine);
  LayerOptics optics(const Band& band, std::size_t level) const;

  AirLevels levels_;
  double time_step_s_;
  ColumnMixing<2> winds_;
  ColumnMixing<mixed> heat_;
  // Of the columns under way, by level: with the ground where it has one.
  std::vector<Lanes> masses_;
  std::vector<Lanes> exchange_;  // with the level below, in kg/m² a time step
  std::array<std::vector<Lanes>, air::count> state_;
  std::vector<Lanes> results_;
  std::vector<Lanes> heat_w_m2_;
  std::vector<LayerLight> light_;
  std::vector<Lanes> reflected_below_;  // of the sun's rays, by all that is below
  std::vector<Lanes> diffuse_below_;
};

}  // namespace halocline::numerics
