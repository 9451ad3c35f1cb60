#pragma once

#include <string_view>

#include "halocline/layout/box.hpp"

namespace halocline::numerics {

/// Where a point of the grid lies on the Earth.
struct Position {
  double latitude;   // radians
  double longitude;  // radians
};

/// Lengths of a cell's sides through a point.
struct Spacing {
  double x_m;
  double y_m;
};

/// POP's kind of grid: circles of latitude and longitude about a pole that lies on land.
///
/// The grid's own longitudes and latitudes are evenly spaced, latitudes from 79 S to 89 N. In the
/// stereographic plane seen from the south pole they are moved sideways, so that their north pole
/// comes to lie at 75 N 40 W, in Greenland. The map is conformal: lines meet at right angles, and
/// spacings are known exactly. Points are named by index, of centres of cells, where half an index
/// is a side: the corner north-east of cell (i, j) is (i + 0.5, j + 0.5).
class DisplacedPoleGrid {
 public:
  DisplacedPoleGrid(layout::Index columns, layout::Index rows);
  /// The grid "x1", 320 x 384, or "tenth", 3600 x 2400. Throws Error for another name.
  static DisplacedPoleGrid named(std::string_view name);

  layout::Index columns() const { return columns_; }
  layout::Index rows() const { return rows_; }
  Position position(double column, double row) const;
  Spacing spacing(double column, double row) const;
  /// Of the centre of a cell, counted row by row.
  Position position(layout::Index cell) const;
  Spacing spacing(layout::Index cell) const;

 private:
  layout::Index columns_;
  layout::Index rows_;
};

inline constexpr double earth_radius_m = 6.37122e6;  // Williamson et al. 1992
inline constexpr double gravity_m_s2 = 9.80616;

}  // namespace halocline::numerics
