#include "halocline/numerics/displaced_pole_grid.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/numerics/earth.hpp"

namespace halocline::numerics {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double southern_edge = -79 * degree;
constexpr double northern_edge = 89 * degree;
constexpr Position moved_pole{.latitude = 75 * degree, .longitude = -40 * degree};

/// Stereographic projection from the south pole.
std::complex<double> projected(const Position& position) {
  return std::polar(std::tan((std::numbers::pi / 2 - position.latitude) / 2), position.longitude);
}

}  // namespace

DisplacedPoleGrid::DisplacedPoleGrid(layout::Index columns, layout::Index rows)
    : columns_(columns), rows_(rows) {
  if (columns < 3 || rows < 1) {
    throw Error("a displaced-pole grid of " + std::to_string(columns) + " x " +
                std::to_string(rows) + " cells; allowed: 3 x 1 or more; choose a larger grid");
  }
}

DisplacedPoleGrid DisplacedPoleGrid::named(std::string_view name) {
  if (name == "x1") {
    return {320, 384};
  }
  if (name == "x4") {
    return {80, 96};
  }
  if (name == "x8") {
    return {40, 48};
  }
  if (name == "tenth") {
    return {3600, 2400};
  }
  throw Error("no displaced-pole grid '" + std::string{name} +
              "'; allowed: x8, x4, x1, tenth; choose one of these");
}

Position DisplacedPoleGrid::position(double column, double row) const {
  const Position own{
      .latitude = southern_edge +
                  (row + 0.5) * (northern_edge - southern_edge) / static_cast<double>(rows_),
      .longitude = (column + 0.5) * 2 * std::numbers::pi / static_cast<double>(columns_)};
  const std::complex<double> moved = projected(own) + projected(moved_pole);
  return {.latitude = std::numbers::pi / 2 - 2 * std::atan(std::abs(moved)),
          .longitude = std::arg(moved)};
}

Spacing DisplacedPoleGrid::spacing(double column, double row) const {
  const double step_y = (northern_edge - southern_edge) / static_cast<double>(rows_);
  const double step_x = 2 * std::numbers::pi / static_cast<double>(columns_);
  const Position own{.latitude = southern_edge + (row + 0.5) * step_y,
                     .longitude = (column + 0.5) * step_x};
  const std::complex<double> plane = projected(own);
  // The projection stretches by (1 + |w|²)/2, both at the point's own place and at the moved one.
  const double stretched = (1 + std::norm(plane)) / (1 + std::norm(plane + projected(moved_pole)));
  return {.x_m = earth::radius_m * std::cos(own.latitude) * step_x * stretched,
          .y_m = earth::radius_m * step_y * stretched};
}

Position DisplacedPoleGrid::position(layout::Index cell) const {
  const layout::Index row = cell / columns_;
  return position(static_cast<double>(cell % columns_), static_cast<double>(row));
}

Spacing DisplacedPoleGrid::spacing(layout::Index cell) const {
  const layout::Index row = cell / columns_;
  return spacing(static_cast<double>(cell % columns_), static_cast<double>(row));
}

}  // namespace halocline::numerics
