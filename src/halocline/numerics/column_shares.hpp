#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "halocline/layout/box.hpp"

namespace halocline::numerics {

/// Air columns of a grid, numbered eastward, then southward from the northernmost latitude.
struct ColumnGrid {
  int longitudes;  // even, so that a column on the equator differs from its antipode
  int latitudes;

  layout::Index count() const { return layout::Index{longitudes} * latitudes; }
  layout::Index column(int longitude, int latitude) const {
    return layout::Index{latitude} * longitudes + longitude;
  }
  int longitude(layout::Index column) const { return static_cast<int>(column % longitudes); }
  int latitude(layout::Index column) const { return static_cast<int>(column / longitudes); }

  /// Column on the opposite side of the Earth, where the sun is up when it is down here.
  layout::Index antipode(layout::Index column) const {
    return this->column((longitude(column) + longitudes / 2) % longitudes,
                        latitudes - 1 - latitude(column));
  }
};

/// How columns are assigned to the ranks that compute their physics.
enum class Balance {
  none,            // where the dynamics hold them
  within_process,  // there too, ordered so that all parts of a rank's columns cost the same
  twin,            // a column and its antipode together, neighbouring twins on one rank
  wrapped,         // twins, round robin
  sorted           // by cost, round robin in alternating direction
};

Balance balance_named(std::string_view name);

/// Columns of a rank, in storage order. `home` lists those that its dynamics hold; `costs` covers
/// all columns. Pure arithmetic: the same on every rank.
std::vector<layout::Index> share_of(Balance balance, const ColumnGrid& grid,
                                    std::span<const double> costs,
                                    std::span<const layout::Index> home, int rank, int ranks);

/// Total cost of these columns.
double cost_of(std::span<const layout::Index> columns, std::span<const double> costs);

}  // namespace halocline::numerics
