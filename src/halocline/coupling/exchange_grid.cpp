#include "halocline/coupling/exchange_grid.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>

#include "halocline/numerics/column_physics.hpp"
#include "halocline/numerics/earth.hpp"

namespace halocline::coupling {
namespace {

using layout::Index;
using numerics::Position;

/// Which column of air contains a point.
class Columns {
 public:
  explicit Columns(const numerics::SpectralGrid& grid) : grid_(numerics::columns_of(grid)) {
    // Latitudes meet where the weights of quadrature have added up, so areas are exact.
    double edge = 1;
    for (int latitude = 0; latitude < grid_.latitudes; ++latitude) {
      const int pair = std::min(latitude, grid_.latitudes - 1 - latitude);
      const double weight = grid.rows.weight[static_cast<std::size_t>(pair)];
      edge -= weight;
      southern_edges_.push_back(edge);
      areas_m2_.push_back(2 * std::numbers::pi * numerics::earth::radius_m *
                          numerics::earth::radius_m * weight / grid_.longitudes);
    }
  }

  Index at(const Position& place) const {
    const double around = place.longitude / (2 * std::numbers::pi) * grid_.longitudes;
    const auto step = static_cast<int>(std::lround(around)) % grid_.longitudes;
    const int longitude = (step + grid_.longitudes) % grid_.longitudes;
    const auto found = std::ranges::partition_point(
        southern_edges_, [sine = std::sin(place.latitude)](double edge) { return edge > sine; });
    const auto latitude = static_cast<int>(found - southern_edges_.begin());
    return grid_.column(longitude, std::min(latitude, grid_.latitudes - 1));
  }

  double area_m2(Index column) const {
    return areas_m2_[static_cast<std::size_t>(grid_.latitude(column))];
  }
  Index count() const { return grid_.count(); }

 private:
  numerics::ColumnGrid grid_;
  std::vector<double> southern_edges_;  // sines
  std::vector<double> areas_m2_;        // of a column of each latitude
};

/// Along a side of an ocean cell: chosen so that a column of air has about sixteen.
Index subcells(const numerics::SpectralGrid& air, const numerics::DisplacedPoleGrid& sea) {
  constexpr Index in_column = 4;
  const auto needed = [](Index columns, Index cells) {
    return (in_column * columns + cells - 1) / cells;
  };
  return std::max(needed(air.longitudes, sea.columns()),
                  needed(Index{2} * air.latitude_pairs, sea.rows()));
}

}  // namespace

ExchangeGrid::ExchangeGrid(const numerics::SpectralGrid& air,
                           const numerics::DisplacedPoleGrid& sea,
                           const numerics::OceanMask& mask) {
  const Columns columns(air);
  const Index along = subcells(air, sea);
  std::vector<double> sampled_m2(static_cast<std::size_t>(columns.count()));
  std::vector<double> land_m2(sampled_m2.size());
  const auto middle = [along](Index cell, Index part) {
    return static_cast<double>(cell) - 0.5 +
           (static_cast<double>(part) + 0.5) / static_cast<double>(along);
  };
  for (Index row = 0; row < sea.rows(); ++row) {
    for (Index column = 0; column < sea.columns(); ++column) {
      const auto first = static_cast<std::ptrdiff_t>(pieces_.size());
      const bool is_sea = mask.ocean(column, row);
      const auto number = static_cast<Index>(sea_cells_.size());
      sea_numbers_.push_back(is_sea ? number : no_sea);
      if (is_sea) {
        sea_cells_.push_back(row * sea.columns() + column);
      }
      for (Index part = 0; part < along * along; ++part) {
        const double i = middle(column, part % along);
        const double j = middle(row, part / along);
        const numerics::Spacing spacing = sea.spacing(i, j);
        const double area_m2 = spacing.x_m * spacing.y_m;
        const Index above = columns.at(sea.position(i, j));
        sampled_m2[static_cast<std::size_t>(above)] += area_m2;
        if (!is_sea) {
          land_m2[static_cast<std::size_t>(above)] += area_m2;
          continue;
        }
        const auto known =
            std::find_if(pieces_.begin() + first, pieces_.end(),
                         [above](const Piece& piece) { return piece.column == above; });
        if (known == pieces_.end()) {
          pieces_.push_back({.column = above, .cell = number, .area_m2 = area_m2});
        } else {
          known->area_m2 += area_m2;
        }
      }
      std::sort(pieces_.begin() + first, pieces_.end(),
                [](const Piece& one, const Piece& other) { return one.column < other.column; });
    }
  }
  sea_pieces_ = count();
  for (Piece& piece : pieces_) {
    piece.area_m2 *=
        columns.area_m2(piece.column) / sampled_m2[static_cast<std::size_t>(piece.column)];
  }
  for (Index column = 0; column < columns.count(); ++column) {
    const auto at = static_cast<std::size_t>(column);
    column_areas_m2_.push_back(columns.area_m2(column));
    const double land = sampled_m2[at] > 0 ? land_m2[at] / sampled_m2[at] : 1;
    if (land > 0) {
      pieces_.push_back(
          {.column = column, .cell = no_sea, .area_m2 = land * columns.area_m2(column)});
    }
  }
  find_outlets(air);
}

/// The nearest column with sea, walking from column to column, and its largest piece.
void ExchangeGrid::find_outlets(const numerics::SpectralGrid& air) {
  const numerics::ColumnGrid grid = numerics::columns_of(air);
  std::vector<const Piece*> outlet(column_areas_m2_.size(), nullptr);
  for (Index number = 0; number < sea_pieces_; ++number) {
    const Piece& piece = pieces_[static_cast<std::size_t>(number)];
    const Piece*& largest = outlet[static_cast<std::size_t>(piece.column)];
    if (largest == nullptr || piece.area_m2 > largest->area_m2) {
      largest = &piece;
    }
  }
  std::deque<Index> reached;
  for (Index column = 0; column < grid.count(); ++column) {
    if (outlet[static_cast<std::size_t>(column)] != nullptr) {
      reached.push_back(column);
    }
  }
  for (; !reached.empty(); reached.pop_front()) {
    const int longitude = grid.longitude(reached.front());
    const int latitude = grid.latitude(reached.front());
    const auto visit = [&](Index next) {
      if (outlet[static_cast<std::size_t>(next)] == nullptr) {
        outlet[static_cast<std::size_t>(next)] = outlet[static_cast<std::size_t>(reached.front())];
        reached.push_back(next);
      }
    };
    visit(grid.column((longitude + 1) % grid.longitudes, latitude));
    visit(grid.column((longitude + grid.longitudes - 1) % grid.longitudes, latitude));
    visit(grid.column(longitude, std::max(latitude - 1, 0)));
    visit(grid.column(longitude, std::min(latitude + 1, grid.latitudes - 1)));
  }
  for (Index number = sea_pieces_; number < count(); ++number) {
    const Index column = pieces_[static_cast<std::size_t>(number)].column;
    outlets_.push_back(outlet[static_cast<std::size_t>(column)]->cell);
  }
}

}  // namespace halocline::coupling
