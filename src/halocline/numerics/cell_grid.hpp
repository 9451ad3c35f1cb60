#pragma once

#include <vector>

#include "halocline/layout/cuts.hpp"
#include "halocline/numerics/column_shares.hpp"

namespace halocline::numerics {

/// Cells between meridians and circles of latitude that are as many degrees apart everywhere, rows
/// counted southward. Edge r is the northern edge of row r; the first and the last are the poles.
struct CellGrid {
  /// Of CAM's proportions: 361 latitudes have 576 longitudes, 181 have 288.
  static CellGrid of(int latitudes);

  int latitudes;
  int longitudes;  // even: beyond a pole lies the cell half way around
  double row_step;
  double longitude_step;            // in radians, as row_step
  std::vector<double> row_sine;     // of the latitude of a row's middle
  std::vector<double> row_cosine;   // the same
  std::vector<double> edge_sine;    // of its edges, one more
  std::vector<double> edge_cosine;  // the same
  std::vector<double> row_weight;   // what a row's cells have of the sine: their areas' ratio

  ColumnGrid columns() const { return {.longitudes = longitudes, .latitudes = latitudes}; }
};

/// Rows that a rank has, with ghost rows beyond both ends.
struct CellRows {
  static constexpr int ghosts = 3;  // what parabolas through the next row take

  int begin;
  int end;
  int longitudes;

  int count() const { return end - begin; }
  std::size_t width() const { return static_cast<std::size_t>(longitudes); }
  /// Numbers of a field with ghost rows, and where a row begins in it.
  std::size_t size() const { return static_cast<std::size_t>(count() + 2 * ghosts) * width(); }
  std::size_t at(int row) const { return static_cast<std::size_t>(row - begin + ghosts) * width(); }
  /// Of a field on the northern edges of the rank's rows and the southern one of the last.
  std::size_t edges_size() const { return static_cast<std::size_t>(count() + 1) * width(); }
  std::size_t edge_at(int edge) const { return static_cast<std::size_t>(edge - begin) * width(); }
};

/// Fills the ghost rows beyond the poles, which lie half way around the same circle. `edges`: of a
/// field on northern edges, whose row 0 and the one behind the last row are the poles.
void fill_beyond_poles(const CellGrid& grid, const CellRows& rows, double* field);
void fill_edges_beyond_poles(const CellGrid& grid, const CellRows& rows, double* field);

}  // namespace halocline::numerics
