#include "halocline/numerics/cell_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halocline::numerics {
namespace {

/// Copies a row as seen from the other side of the pole.
void copy_half_around(const double* row, std::size_t width, double* beyond) {
  const std::size_t half = width / 2;
  for (std::size_t at = 0; at < half; ++at) {
    beyond[at] = row[at + half];
    beyond[at + half] = row[at];
  }
}

}  // namespace

CellGrid CellGrid::of(int latitudes) {
  constexpr double pi = std::numbers::pi;
  const int longitudes = (latitudes - 1) * 4 / 5 * 2;
  CellGrid grid{.latitudes = latitudes,
                .longitudes = longitudes,
                .row_step = pi / latitudes,
                .longitude_step = 2 * pi / longitudes,
                .row_sine = {},
                .row_cosine = {},
                .edge_sine = {},
                .edge_cosine = {},
                .row_weight = {}};
  for (int edge = 0; edge <= latitudes; ++edge) {
    const bool pole = edge == 0 || edge == latitudes;
    grid.edge_sine.push_back(std::cos(edge * grid.row_step));
    grid.edge_cosine.push_back(pole ? 0 : std::sin(edge * grid.row_step));
  }
  for (int row = 0; row < latitudes; ++row) {
    const auto index = static_cast<std::size_t>(row);
    grid.row_sine.push_back(std::cos((row + 0.5) * grid.row_step));
    grid.row_cosine.push_back(std::sin((row + 0.5) * grid.row_step));
    grid.row_weight.push_back(grid.edge_sine[index] - grid.edge_sine[index + 1]);
  }
  return grid;
}

void fill_beyond_poles(const CellGrid& grid, const CellRows& rows, double* field) {
  for (int ghost = 0; ghost < CellRows::ghosts; ++ghost) {
    if (rows.begin == 0) {
      copy_half_around(field + rows.at(ghost), rows.width(), field + rows.at(-1 - ghost));
    }
    if (rows.end == grid.latitudes) {
      copy_half_around(field + rows.at(grid.latitudes - 1 - ghost), rows.width(),
                       field + rows.at(grid.latitudes + ghost));
    }
  }
}

void fill_edges_beyond_poles(const CellGrid& grid, const CellRows& rows, double* field) {
  if (rows.begin == 0) {
    for (int ghost = 1; ghost <= CellRows::ghosts; ++ghost) {
      copy_half_around(field + rows.at(ghost), rows.width(), field + rows.at(-ghost));
    }
  }
  if (rows.end == grid.latitudes) {
    for (int ghost = 1; ghost < CellRows::ghosts; ++ghost) {
      copy_half_around(field + rows.at(grid.latitudes - ghost), rows.width(),
                       field + rows.at(grid.latitudes + ghost));
    }
  }
}

}  // namespace halocline::numerics
