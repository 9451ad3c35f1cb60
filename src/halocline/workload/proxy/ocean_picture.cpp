#include "halocline/workload/proxy/ocean_picture.hpp"

#include <algorithm>
#include <numbers>
#include <string>
#include <utility>

#include "halocline/layout/ocean_blocks.hpp"
#include "halocline/mpi/collectives.hpp"

namespace halocline::workload {
namespace {

using layout::Box;
using layout::Index;

constexpr Index most_columns = 360;  // of a map, so that 0.1 degrees take no more
constexpr Index most_rows = 400;
constexpr Index most_land_cells = 180;  // along a side
constexpr int most_blocks = 4096;
constexpr double per_sverdrup = 1e-6;

Index divided_up(Index number, Index by) { return (number + by - 1) / by; }

/// Cells of several columns and rows of a grid.
class Coarse {
 public:
  Coarse(Index columns, Index rows, Index wide, Index high)
      : columns_(columns), rows_(rows), wide_(wide), high_(high) {}

  Index columns() const { return divided_up(columns_, wide_); }
  Index rows() const { return divided_up(rows_, high_); }
  std::size_t size() const { return static_cast<std::size_t>(columns() * rows()); }
  std::size_t at(Index column, Index row) const {
    return static_cast<std::size_t>(row / high_ * columns() + column / wide_);
  }
  /// Whether this column of the grid represents its coarse cell.
  bool stands_for_all(Index column) const { return column % wide_ == wide_ / 2; }
  Box box(Index column, Index row) const {
    Box box;
    box.lower = {column * wide_, row * high_, 0, 0};
    box.upper = {std::min((column + 1) * wide_, columns_), std::min((row + 1) * high_, rows_), 1,
                 1};
    return box;
  }

 private:
  Index columns_;
  Index rows_;
  Index wide_;
  Index high_;
};

bool mostly_land(const Box& box, const numerics::OceanMask& mask) {
  return 2 * mask.count(box) < box.extent(0) * box.extent(1);
}

/// South of the grid is only Antarctica.
void add_antarctica(numerics::SphereMap& map, const numerics::DisplacedPoleGrid& grid) {
  using numerics::SphereMap;
  constexpr double side = std::numbers::pi / double{SphereMap::rows};
  const double height = grid.position(0, 0).latitude + std::numbers::pi / 2;
  const auto rows = static_cast<std::int64_t>(height / side);
  for (std::int64_t cell = 0; cell < rows * SphereMap::columns; ++cell) {
    const std::int64_t row = cell / SphereMap::columns;
    const std::int64_t column = cell % SphereMap::columns;
    map.add_land(side * (static_cast<double>(row) + 0.5) - std::numbers::pi / 2,
                 side * (static_cast<double>(column) + 0.5));
  }
}

}  // namespace

std::vector<measure::PictureMap> ocean_maps(const numerics::OceanModel& model,
                                            const numerics::DisplacedPoleGrid& grid,
                                            const numerics::OceanMask& mask,
                                            const mpi::Communicator& world) {
  const Coarse coarse(grid.columns(), grid.rows(), divided_up(grid.columns(), most_columns),
                      divided_up(grid.rows(), most_rows));
  const std::size_t size = coarse.size();
  std::vector<double> own(2 * size);  // heights, then flows eastwards
  const std::vector<Index> cells = model.surface_cells();
  const std::vector<double> heights_m = model.surface_heights_m();
  const std::vector<double> flows_m3_s = model.eastward_m3_s();
  for (std::size_t next = 0; next < cells.size(); ++next) {
    const Index column = cells[next] % grid.columns();
    const std::size_t at = coarse.at(column, cells[next] / grid.columns());
    own[at] += heights_m[next];
    if (coarse.stands_for_all(column)) {
      own[size + at] += flows_m3_s[next];
    }
  }
  std::vector<double> all(own.size());
  mpi::Collectives(world).reduce(own, all, 0);
  std::vector<measure::PictureMap> maps;
  if (world.rank() != 0) {
    return maps;
  }
  numerics::SphereMap sea_level;
  numerics::SphereMap streamfunction;
  add_antarctica(sea_level, grid);
  add_antarctica(streamfunction, grid);
  std::vector<double> from_south(static_cast<std::size_t>(coarse.columns()));
  for (Index row = 0; row < coarse.rows(); ++row) {
    for (Index column = 0; column < coarse.columns(); ++column) {
      const Box box = coarse.box(column, row);
      const auto at = static_cast<std::size_t>(row * coarse.columns() + column);
      double& flow = from_south[static_cast<std::size_t>(column)];
      flow += all[size + at];
      const numerics::Position place =
          grid.position(static_cast<double>(box.lower[0] + box.upper[0] - 1) / 2,
                        static_cast<double>(box.lower[1] + box.upper[1] - 1) / 2);
      if (mostly_land(box, mask)) {
        sea_level.add_land(place.latitude, place.longitude);
        streamfunction.add_land(place.latitude, place.longitude);
      } else {
        const auto wet = static_cast<double>(mask.count(box));
        sea_level.add(place.latitude, place.longitude, all[at] / wet);
        streamfunction.add(place.latitude, place.longitude, flow * per_sverdrup);
      }
    }
  }
  maps.push_back({.name = "sea_level",
                  .title = "Height of the sea",
                  .unit = "m",
                  .values = sea_level.own_values()});
  maps.push_back({.name = "streamfunction",
                  .title = "Barotropic streamfunction",
                  .unit = "Sv",
                  .values = streamfunction.own_values()});
  return maps;
}

measure::PictureOwners owners_of(const layout::Blocks& blocks, const numerics::OceanMask& mask) {
  const Box global = blocks.global();
  const Index side = divided_up(std::max(global.extent(0), global.extent(1)), most_land_cells);
  const auto work = [&mask](const Box& box) { return mask.count(box); };
  measure::PictureOwners owners;
  owners.columns = global.extent(0);
  owners.rows = global.extent(1);
  owners.work = layout::work_of_ranks(blocks, work);
  owners.land_side = side;
  if (blocks.places() > most_blocks) {
    owners.omitted = "its " + std::to_string(blocks.places()) + " blocks are more than the " +
                     std::to_string(most_blocks) + " that a picture shows";
  } else {
    for (int place = 0; place < blocks.places(); ++place) {
      const Box box = blocks.local(place);
      owners.blocks.push_back({.west = box.lower[0],
                               .east = box.upper[0],
                               .south = box.lower[1],
                               .north = box.upper[1],
                               .owner = blocks.owner(place)});
    }
  }
  const Coarse coarse(owners.columns, owners.rows, side, side);
  for (Index row = 0; row < coarse.rows(); ++row) {
    std::string line;
    for (Index column = 0; column < coarse.columns(); ++column) {
      line += mostly_land(coarse.box(column, row), mask) ? '#' : '.';
    }
    owners.land.push_back(std::move(line));
  }
  return owners;
}

}  // namespace halocline::workload
