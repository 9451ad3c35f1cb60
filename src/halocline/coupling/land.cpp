#include "halocline/coupling/land.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace halocline::coupling {
namespace {

constexpr std::array<double, Land::layers> soil_thickness_m{
    Land::surface_m, 0.2, 0.4, 0.8, 1.6, 3.2};
constexpr double soil_conductivity_w_m = 1.2;  // per kelvin

}  // namespace

Land::Land(std::vector<double> areas_m2)
    : areas_m2_(std::move(areas_m2)),
      columns_(areas_m2_.size()),
      temperatures_(layers * columns_),
      water_kg_m2_(columns_),
      runoff_kg_m2_(columns_),
      mixing_(columns_, layers) {}

void Land::begin(std::span<const double> temperatures) {
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::ranges::copy(temperatures,
                      temperatures_.begin() + static_cast<std::ptrdiff_t>(layer * columns_));
  }
  std::ranges::fill(water_kg_m2_, full_kg_m2 / 2);
  take_runoff();
}

void Land::step(std::span<const double> heat_w_m2, std::span<const double> water_kg_m2_s,
                Seconds time) {
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const double holds = soil_j_m3 * soil_thickness_m[layer];
    const bool deepest = layer + 1 == layers;
    const double apart_m =
        deepest ? 1 : (soil_thickness_m[layer] + soil_thickness_m[layer + 1]) / 2;
    const double down = deepest ? 0 : time.count() * soil_conductivity_w_m / apart_m;
    for (std::size_t column = 0; column < columns_; ++column) {
      const double enters = layer == 0 ? time.count() * heat_w_m2[column] : 0;
      mixing_.eliminate(layer, column, holds, down,
                        {holds * temperatures_[layer * columns_ + column] + enters});
    }
  }
  mixing_.substitute(0, temperatures_.data(), static_cast<std::ptrdiff_t>(columns_), columns_);
  for (std::size_t column = 0; column < columns_; ++column) {
    const double water = water_kg_m2_[column] + time.count() * water_kg_m2_s[column];
    water_kg_m2_[column] = std::min(water, full_kg_m2);
    runoff_kg_m2_[column] += water - water_kg_m2_[column];
  }
}

void Land::take_runoff() { std::ranges::fill(runoff_kg_m2_, 0.0); }

double Land::heat_j_m2(std::size_t column) const {
  double heat = 0;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    heat += soil_j_m3 * soil_thickness_m[layer] * temperatures_[layer * columns_ + column];
  }
  return heat;
}

std::vector<double> Land::saved() const {
  std::vector<double> numbers = temperatures_;
  numbers.insert(numbers.end(), water_kg_m2_.begin(), water_kg_m2_.end());
  numbers.insert(numbers.end(), runoff_kg_m2_.begin(), runoff_kg_m2_.end());
  return numbers;
}

void Land::load(std::span<const double> numbers) {
  std::ranges::copy(numbers.first(temperatures_.size()), temperatures_.begin());
  std::ranges::copy(numbers.subspan(temperatures_.size(), columns_), water_kg_m2_.begin());
  std::ranges::copy(numbers.last(columns_), runoff_kg_m2_.begin());
}

}  // namespace halocline::coupling
