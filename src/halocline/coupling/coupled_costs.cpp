#include <algorithm>
#include <cstdint>

#include "halocline/coupling/coupled_model.hpp"

namespace halocline::coupling {

std::array<double, component_count> CoupledModel::costs(const CoupledShape& shape) {
  const auto air_grid = numerics::SpectralGrid::of(shape.truncation);
  const auto columns = static_cast<double>(numerics::columns_of(air_grid).count());
  const auto cells = static_cast<double>(shape.sea.mask.count(shape.sea.blocks.global()));
  constexpr double land_share = 0.4;  // of columns, not only those without any sea
  // Per column and level: averaged over day and night; and transforms, which grow with the orders.
  const auto air_levels = static_cast<std::size_t>(shape.air_levels);
  const double physics = static_cast<double>(numerics::ColumnPhysics::cost(air_levels, true) +
                                             numerics::ColumnPhysics::cost(air_levels, false)) /
                         2;
  constexpr double of_transforms = 3;
  constexpr double of_sea_level = 320;
  constexpr double of_solver = 2000;
  std::array<double, component_count> costs{};
  costs[index_of(Component::land)] =
      land_share * columns * land_steps * Land::operations_per_column;
  costs[index_of(Component::ice)] = cells * ice_steps * SeaIce::operations_per_cell;
  costs[index_of(Component::atmosphere)] =
      columns * Air::steps(shape.truncation, shape.sea.interval) *
      (physics + of_transforms * shape.truncation * shape.air_levels);
  costs[index_of(Component::ocean)] =
      cells * Sea::steps(shape.sea) *
      (of_sea_level * static_cast<double>(shape.sea.levels) + of_solver);
  return costs;
}

double CoupledModel::bytes(const CoupledShape& shape, int ranks, int rank) {
  const numerics::ColumnGrid air =
      numerics::columns_of(numerics::SpectralGrid::of(shape.truncation));
  const auto columns = static_cast<double>(air.count());
  const layout::Box global = shape.sea.blocks.global();
  const auto grid_columns = static_cast<double>(global.extent(0));
  const auto grid_rows = static_cast<double>(global.extent(1));
  const double cells = grid_columns * grid_rows;
  const auto sea_cells = static_cast<double>(shape.sea.mask.count(global));
  const double pieces = columns + sea_cells * (1 + air.longitudes / grid_columns) *
                                      (1 + air.latitudes / grid_rows);  // columns' edges cut cells
  // Every rank holds all pieces in growing vectors: for a while the old one also exists.
  constexpr double growing = 3;
  double bytes = growing * (pieces * sizeof(Piece) + (cells + sea_cells) * sizeof(layout::Index)) +
                 cells * sizeof(std::uint8_t);
  constexpr double numbers_of_piece = 100;  // in the links, at both ends, with their messages
  double numbers = numbers_of_piece * pieces / ranks;
  // Verification keeps one copy of all stored data, and sends or receives another.
  constexpr double copies = 2;
  if (const auto& own = shape.sharing[index_of(Component::atmosphere)]; own.contains(rank)) {
    const auto rows = static_cast<double>(numerics::AtmosphereDynamics::all_rows(shape.truncation));
    bytes += numerics::AtmosphereModel::bytes(
        Air::shape_of(shape.truncation, shape.air_levels, shape.sea.interval, own.count, shape.way),
        own.count);
    numbers += copies *
               (columns * static_cast<double>(Air::numbers_of_column(shape.air_levels)) +
                rows * static_cast<double>(
                           numerics::AtmosphereDynamics::numbers_of_row(shape.air_levels))) /
               own.count;
  }
  if (const auto& own = shape.sharing[index_of(Component::ocean)]; own.contains(rank)) {
    bytes +=
        numerics::OceanModel::bytes_of(shape.sea.blocks.owned(rank - own.first), shape.sea.levels) +
        cells * sizeof(float);
    numbers += copies * sea_cells * static_cast<double>(Sea::numbers_of_cell(shape.sea.levels)) /
               own.count;
  }
  if (rank == 0) {  // a whole field of a file
    constexpr double times = 6;
    numbers += times * std::max(cells, columns);
  }
  return bytes + sizeof(double) * numbers;
}

}  // namespace halocline::coupling
