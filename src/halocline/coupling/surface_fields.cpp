#include <numeric>

#include "halocline/coupling/coupled_model.hpp"

namespace halocline::coupling {

using layout::Index;

std::vector<SurfaceField> CoupledModel::surface() {
  const auto seen_by_surface = [this](std::size_t field) {
    if (!air_) {
      return std::vector<double>{};
    }
    const std::span<const double> values = air_->seen(field);
    return std::vector<double>(values.begin(), values.end());
  };
  const std::vector<Index> columns = air_ ? air_->columns() : std::vector<Index>{};
  const auto all_columns = [this] {
    std::vector<Index> all(grid_.column_areas_m2().size());
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  };
  const auto columns_of = [this](std::span<const Index> pieces) {
    std::vector<Index> places;
    for (const Index piece : pieces) {
      places.push_back(grid_.pieces()[static_cast<std::size_t>(piece)].column);
    }
    return places;
  };
  const auto all_land = [this, columns_of] {
    std::vector<Index> pieces(grid_.outlets().size());
    std::iota(pieces.begin(), pieces.end(), grid_.sea_pieces());
    return columns_of(pieces);
  };
  const auto all_sea = [this] { return grid_.sea_cells(); };
  const std::vector<Index> land_columns = columns_of(land_pieces_);
  const auto in_grid = [this](std::span<const Index> cells) {
    std::vector<Index> places;
    for (const Index cell : cells) {
      places.push_back(grid_.sea_cells()[static_cast<std::size_t>(cell)]);
    }
    return places;
  };
  const auto copied = [](std::span<const double> values) {
    return std::vector<double>(values.begin(), values.end());
  };
  return {{.name = "air_temperature",
           .unit = "degree_Celsius",
           .long_name = "temperature of the air's skin",
           .on_sea_grid = false,
           .all = all_columns,
           .places = columns,
           .values = seen_by_surface(seen::temperature)},
          {.name = "rain",
           .unit = "kg m-2 s-1",
           .long_name = "rain since the last coupling",
           .on_sea_grid = false,
           .all = all_columns,
           .places = columns,
           .values = seen_by_surface(seen::rain)},
          {.name = "eastward_stress",
           .unit = "N m-2",
           .long_name = "eastward stress of the wind on the surface",
           .on_sea_grid = false,
           .all = all_columns,
           .places = columns,
           .values = seen_by_surface(seen::eastward)},
          {.name = "soil_temperature",
           .unit = "degree_Celsius",
           .long_name = "temperature of the uppermost soil",
           .on_sea_grid = false,
           .all = all_land,
           .places = land_columns,
           .values = copied(land_->surface_temperatures())},
          {.name = "soil_water",
           .unit = "kg m-2",
           .long_name = "water in the soil",
           .on_sea_grid = false,
           .all = all_land,
           .places = land_columns,
           .values = copied(land_->water_kg_m2())},
          {.name = "sea_temperature",
           .unit = "degree_Celsius",
           .long_name = "temperature of the sea's uppermost level",
           .on_sea_grid = true,
           .all = all_sea,
           .places = in_grid(sea_cells_),
           .values = sea_ ? copied(sea_->temperatures()) : std::vector<double>{}},
          {.name = "ice_thickness",
           .unit = "m",
           .long_name = "mean thickness of sea ice",
           .on_sea_grid = true,
           .all = all_sea,
           .places = in_grid(ice_cells_),
           .values = copied(ice_->thickness_m())}};
}

}  // namespace halocline::coupling
