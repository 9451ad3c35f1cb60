#pragma once

#include <string_view>

#include "halocline/layout/box.hpp"

namespace halocline::numerics {

/// Position of a grid point on the Earth.
struct Position {
  double latitude;   // radians
  double longitude;  // radians
};

/// Side lengths of a cell, measured through a point.
struct Spacing {
  double x_m;
  double y_m;
};

/// POP's kind of grid: circles of latitude and longitude about a pole that lies on land.
///
/// The grid's own longitudes and latitudes are evenly spaced, with latitudes from 79 S to 89 N. A
/// shift in the stereographic plane seen from the south pole moves their north pole to 75 N 40 W,
/// in Greenland. The map is conformal: grid lines meet at right angles, and spacings are known
/// exactly. Points are given by index: whole numbers are cell centres, and half an index further is
/// a side. The north-east corner of cell (i, j) is (i + 0.5, j + 0.5).
class DisplacedPoleGrid {
 public:
  DisplacedPoleGrid(layout::Index columns, layout::Index rows);
  /// Grid "x1", 320 x 384; "x4" or "x8", whose cells are 4 or 8 times as long and wide; or "tenth",
  /// 3600 x 2400. Throws Error for any other name.
  static DisplacedPoleGrid named(std::string_view name);

  layout::Index columns() const { return columns_; }
  layout::Index rows() const { return rows_; }
  Position position(double column, double row) const;
  Spacing spacing(double column, double row) const;
  /// At the centre of a cell; cells are numbered row by row.
  Position position(layout::Index cell) const;
  Spacing spacing(layout::Index cell) const;

 private:
  layout::Index columns_;
  layout::Index rows_;
};

}  // namespace halocline::numerics
