#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "halocline/layout/box.hpp"

namespace halocline::numerics {

/// The columns of air of a grid, numbered eastward, then southward from the northernmost latitude.
struct ColumnGrid {
  int longitudes;  // even, as the antipode of a column on the equator must be another
  int latitudes;

  layout::Index count() const { return layout::Index{longitudes} * latitudes; }
  layout::Index column(int longitude, int latitude) const {
    return layout::Index{latitude} * longitudes + longitude;
  }
  int longitude(layout::Index column) const { return static_cast<int>(column % longitudes); }
  int latitude(layout::Index column) const { return static_cast<int>(column / longitudes); }

  /// The column at the other side of the Earth, where the sun is up when it is down here.
  layout::Index antipode(layout::Index column) const {
    return this->column((longitude(column) + longitudes / 2) % longitudes,
                        latitudes - 1 - latitude(column));
  }
};

/// How columns are dealt to the ranks that compute their physics.
enum class Balance {
  none,            // they stay where the dynamics has them
  within_process,  // there too, but so that each part of a rank's columns costs as much
  twin,            // a column and its antipode together, neighbouring twins on one rank
  wrapped,         // twins dealt one by one
  sorted           // by what they cost, dealt one by one there and back again
};

Balance balance_named(std::string_view name);

/// The columns of a rank, of which its dynamics has those at `home`, in the order in which it keeps
/// them; `costs` are of all columns. Pure arithmetic: the same on every rank.
std::vector<layout::Index> share_of(Balance balance, const ColumnGrid& grid,
                                    std::span<const double> costs,
                                    std::span<const layout::Index> home, int rank, int ranks);

/// What columns cost together.
double cost_of(std::span<const layout::Index> columns, std::span<const double> costs);

}  // namespace halocline::numerics
