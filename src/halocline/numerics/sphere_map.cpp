#include "halocline/numerics/sphere_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "halocline/mpi/collectives.hpp"

namespace halocline::numerics {
namespace {

constexpr std::int64_t rows = SphereMap::rows;
constexpr std::int64_t columns = SphereMap::columns;

std::size_t cell_at(double latitude, double longitude) {
  using std::numbers::pi;
  const double turned = (longitude + pi) / (2 * pi);
  const auto column = static_cast<std::int64_t>((turned - std::floor(turned)) * double{columns});
  const auto row = static_cast<std::int64_t>((latitude / pi + 0.5) * double{rows});
  return static_cast<std::size_t>(std::clamp<std::int64_t>(row, 0, rows - 1) * columns +
                                  std::clamp<std::int64_t>(column, 0, columns - 1));
}

/// The nearest column of the row, to either side around the ring, that has a point.
std::optional<std::int64_t> nearest_column(const std::vector<bool>& known, std::int64_t row,
                                           std::int64_t column) {
  for (std::int64_t step = 0; step <= columns / 2; ++step) {
    for (const std::int64_t side : {column + step, column - step}) {
      const std::int64_t at = (side + columns) % columns;
      if (known[static_cast<std::size_t>(row * columns + at)]) {
        return at;
      }
    }
  }
  return std::nullopt;
}

/// In this row, or in the nearest one that has a point.
std::optional<std::size_t> nearest(const std::vector<bool>& known, std::int64_t row,
                                   std::int64_t column) {
  for (std::int64_t step = 0; step < rows; ++step) {
    for (const std::int64_t near : {row + step, row - step}) {
      if (near < 0 || near >= rows) {
        continue;
      }
      if (const auto found = nearest_column(known, near, column)) {
        return static_cast<std::size_t>(near * columns + *found);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

void SphereMap::add(double latitude, double longitude, double value) {
  const std::size_t cell = cell_at(latitude, longitude);
  sums_[cell] += value;
  sums_[cells + cell] += 1;
}

void SphereMap::add_land(double latitude, double longitude) {
  sums_[2 * cells + cell_at(latitude, longitude)] += 1;
}

std::vector<double> SphereMap::finished(const std::vector<double>& sums) {
  std::vector<double> means(cells, std::numeric_limits<double>::quiet_NaN());
  std::vector<bool> known(cells);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const double points = sums[cells + cell];
    const double land = sums[2 * cells + cell];
    known[cell] = points + land > 0;
    if (points > 0 && points >= land) {
      means[cell] = sums[cell] / points;
    }
  }
  std::vector<double> values(cells);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto from = nearest(known, row, column);
      values[static_cast<std::size_t>(row * columns + column)] =
          from ? means[*from] : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return values;
}

std::vector<double> SphereMap::own_values() const { return finished(sums_); }

std::vector<double> SphereMap::values(const mpi::Communicator& ranks) const {
  std::vector<double> sums(sums_.size());
  mpi::Collectives(ranks).reduce(sums_, sums, 0);
  return ranks.rank() == 0 ? finished(sums) : std::vector<double>{};
}

}  // namespace halocline::numerics
