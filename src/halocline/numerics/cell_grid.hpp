#pragma once

#include <vector>

#include "halocline/layout/cuts.hpp"
#include "halocline/numerics/column_shares.hpp"

namespace halocline::numerics {

/// Grid of cells with even spacing in longitude and in latitude; rows are numbered southward. Edge
/// r is the northern edge of row r. The first and last edges are the poles.
struct CellGrid {
  /// Has CAM's proportions: 361 latitudes get 576 longitudes, 181 get 288.
  static CellGrid of(int latitudes);

  int latitudes;
  int longitudes;  // even: beyond a pole lies the cell half way around
  double row_step;
  double longitude_step;            // radians, like row_step
  std::vector<double> row_sine;     // of latitude, at row centres
  std::vector<double> row_cosine;   // same
  std::vector<double> edge_sine;    // at row edges, one more
  std::vector<double> edge_cosine;  // same
  std::vector<double> row_weight;   // difference of the sine across a row: ratio of cell areas

  ColumnGrid columns() const { return {.longitudes = longitudes, .latitudes = latitudes}; }
};

/// Rows owned by a rank, with ghost rows at both ends.
struct CellRows {
  static constexpr int ghosts = 3;  // needed for parabolas through the next row

  int begin;
  int end;
  int longitudes;

  int count() const { return end - begin; }
  std::size_t width() const { return static_cast<std::size_t>(longitudes); }
  /// Length of a field with ghost rows, and the offset of a row.
  std::size_t size() const { return static_cast<std::size_t>(count() + 2 * ghosts) * width(); }
  std::size_t at(int row) const { return static_cast<std::size_t>(row - begin + ghosts) * width(); }
  /// Length of a field on the northern edges of the rank's rows and the southern edge of the last.
  std::size_t edges_size() const { return static_cast<std::size_t>(count() + 1) * width(); }
  std::size_t edge_at(int edge) const { return static_cast<std::size_t>(edge - begin) * width(); }
};

/// Fill the ghost rows beyond the poles from cells half way around the same circle. The `edges`
/// variant takes a field on northern edges, whose row 0 and row past the last are the poles.
void fill_beyond_poles(const CellGrid& grid, const CellRows& rows, double* field);
void fill_edges_beyond_poles(const CellGrid& grid, const CellRows& rows, double* field);

}  // namespace halocline::numerics
