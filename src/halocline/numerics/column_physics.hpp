#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/numerics/cell_grid.hpp"
#include "halocline/numerics/column_mixing.hpp"
#include "halocline/numerics/column_shares.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/numerics/two_stream.hpp"
#include "halocline/numerics/williamson.hpp"

namespace halocline::numerics {

/// Fields of a column at each level from the top down, then at the ground. After the physics the
/// wind fields hold wind tendencies in m/s² and, at the ground, the stress.
namespace air {
inline constexpr std::size_t eastward = 0;
inline constexpr std::size_t northward = 1;
inline constexpr std::size_t temperature = 2;
inline constexpr std::size_t tracers = 3;  // vapour, dust and smoke, in kg/kg
inline constexpr std::size_t tracer_count = 3;
inline constexpr std::size_t vorticity = 6;
/// Deviation from its mean; at the ground, air pressure in Pa.
inline constexpr std::size_t geopotential = 7;
inline constexpr std::size_t count = 8;
inline constexpr std::size_t returned = 6;  // the first fields, from physics to dynamics
}  // namespace air

/// Columns side by side in memory: [field][level][column].
struct ColumnFields {
  double* first;
  std::size_t levels;   // including the ground
  std::size_t columns;  // in memory

  double* level(std::size_t field, std::size_t level) const {
    return first + (field * levels + level) * columns;
  }
  double& at(std::size_t field, std::size_t level, std::size_t column) const {
    return this->level(field, level)[column];
  }
};

/// Positions of a grid's columns, in radians.
struct AirGrid {
  ColumnGrid columns;
  std::vector<double> latitudes;
  double first_longitude;

  Place place(layout::Index column) const;
};

AirGrid air_grid_of(const SpectralGrid& grid);
AirGrid air_grid_of(const CellGrid& grid);

/// Columns of a spectral grid, and their positions.
ColumnGrid columns_of(const SpectralGrid& grid);
Place place_of(const SpectralGrid& grid, layout::Index column);

/// The sun at the June solstice, at an hour of Greenwich time.
struct Sun {
  double hour;

  /// Cosine of the solar zenith angle; 0 or less when the sun is down.
  double cosine(const Place& place) const;
};

/// Thickness and position of the model's levels.
class AirLevels {
 public:
  explicit AirLevels(int levels);

  std::size_t count() const { return shares_.size(); }
  double share(std::size_t level) const { return shares_[level]; }        // of surface pressure
  double middle(std::size_t level) const { return middles_[level]; }      // same, mid-level
  double edge(std::size_t level) const { return edges_[level]; }          // same, lower edge
  double height_m(std::size_t level) const { return heights_m_[level]; }  // mid-level
  /// Temperature of a calm atmosphere, in K. The ground counts as the level below the last.
  double temperature(std::size_t level) const { return temperatures_[level]; }

  /// Mass in kg/m² at this surface pressure in Pa. The ground counts as the level below the last.
  double mass(std::size_t level, double pressure) const {
    return level < count() ? shares_[level] * pressure / earth::gravity_m_s2 : ground_mass;
  }

 private:
  static constexpr double ground_mass = 500;

  std::vector<double> shares_;
  std::vector<double> middles_;
  std::vector<double> edges_;
  std::vector<double> heights_m_;
  std::vector<double> temperatures_;
};

/// Physics of air columns in a time step. Turbulence mixes winds, heat and tracers along the column
/// and with the ground; sunlight heats the columns where the sun is up.
///
/// A column's bits do not depend on the columns next to it.
class ColumnPhysics {
 public:
  ColumnPhysics(const AirLevels& levels, Seconds time_step);

  /// `cosines` holds one cosine of the solar zenith angle per column.
  void step(const ColumnFields& fields, std::span<const double> cosines);

  /// Floating-point operations per column.
  static std::int64_t operations(std::size_t levels, bool sun_is_up);
  /// Cost of a column in operations: its arithmetic, plus the equivalent of moving its values.
  static std::int64_t cost(std::size_t levels, bool sun_is_up);
  /// Cost of each column of a grid.
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
  // Columns being computed, by level, with the ground where it has a value.
  std::vector<Lanes> masses_;
  std::vector<Lanes> exchange_;  // with the level below, in kg/m² per time step
  std::array<std::vector<Lanes>, air::count> state_;
  std::vector<Lanes> results_;
  std::vector<Lanes> heat_w_m2_;
  std::vector<LayerLight> light_;
  std::vector<Lanes> reflected_below_;  // of direct sunlight, by everything below
  std::vector<Lanes> diffuse_below_;
};

}  // namespace halocline::numerics
