#include "halocline/coupling/sea_ice.hpp"

#include <algorithm>
#include <utility>

#include "halocline/numerics/sea_water.hpp"

namespace halocline::coupling {
namespace {

using numerics::freezing_point;
using numerics::heat_of_fusion;

constexpr double ice_kg_m3 = 917;
constexpr double ice_conductivity_w_m = 2.1;  // per kelvin
constexpr double covering_m = 0.5;            // ice of this thickness or more covers the whole cell
constexpr double thinnest_m = 0.1;            // where heat is conducted
constexpr double from_sea_w_m2 = 50;          // per kelvin: by the water's turbulence
constexpr double melting_point = 0;           // of the surface, whose salt has drained

}  // namespace

SeaIce::SeaIce(std::vector<double> areas_m2)
    : areas_m2_(std::move(areas_m2)),
      thickness_m_(areas_m2_.size()),
      skin_(areas_m2_.size()),
      heat_j_m2_(areas_m2_.size()),
      water_kg_m2_(areas_m2_.size()) {}

void SeaIce::begin(std::span<const double> thickness_m) {
  std::ranges::copy(thickness_m, thickness_m_.begin());
  std::ranges::fill(skin_, freezing_point);
  take();
}

double SeaIce::cover(std::size_t cell) const {
  return std::min(thickness_m_[cell] / covering_m, 1.0);
}

void SeaIce::step(const Input& input, Seconds time) {
  const double step_s = time.count();
  for (std::size_t cell = 0; cell < thickness_m_.size(); ++cell) {
    const double covered = cover(cell);
    const double actual_m = std::max(thickness_m_[cell], thinnest_m);
    // Implicit in the skin's temperature: thin ice conducts more than an explicit step allows.
    const double conducts = covered * step_s * ice_conductivity_w_m / actual_m;
    double skin =
        (skin_j_m2 * skin_[cell] + input.heat_w_m2[cell] * step_s + conducts * freezing_point) /
        (skin_j_m2 + conducts);
    const double from_base_j_m2 = conducts * (freezing_point - skin);
    double melt_j_m2 = std::max(skin - melting_point, 0.0) * skin_j_m2;
    skin = std::min(skin, melting_point);
    const double from_sea_j_m2 = covered * step_s * from_sea_w_m2 *
                                 std::max(input.sea_temperatures[cell] - freezing_point, 0.0);
    heat_j_m2_[cell] -= from_sea_j_m2;
    melt_j_m2 += from_sea_j_m2 - from_base_j_m2;
    // What froze in the sea left it as water and returned its heat there.
    double ice_kg_m2 = ice_kg_m3 * thickness_m_[cell] +
                       input.frozen_w_m2[cell] * step_s / heat_of_fusion -
                       melt_j_m2 / heat_of_fusion + input.water_kg_m2_s[cell] * step_s;
    water_kg_m2_[cell] += melt_j_m2 / heat_of_fusion;
    if (ice_kg_m2 <= 0) {  // more melts than there is: the sea gets the rest, and the skin
      water_kg_m2_[cell] += ice_kg_m2;
      heat_j_m2_[cell] += skin_j_m2 * (skin - freezing_point) - ice_kg_m2 * heat_of_fusion;
      skin = freezing_point;
      ice_kg_m2 = 0;
    }
    skin_[cell] = skin;
    thickness_m_[cell] = ice_kg_m2 / ice_kg_m3;
  }
}

void SeaIce::take() {
  std::ranges::fill(heat_j_m2_, 0.0);
  std::ranges::fill(water_kg_m2_, 0.0);
}

double SeaIce::heat_content_j_m2(std::size_t cell) const {
  return skin_j_m2 * (skin_[cell] - freezing_point) - heat_of_fusion * mass_kg_m2(cell);
}

double SeaIce::mass_kg_m2(std::size_t cell) const { return ice_kg_m3 * thickness_m_[cell]; }

std::vector<double> SeaIce::saved() const {
  std::vector<double> numbers;
  for (const auto* const field : {&thickness_m_, &skin_, &heat_j_m2_, &water_kg_m2_}) {
    numbers.insert(numbers.end(), field->begin(), field->end());
  }
  return numbers;
}

void SeaIce::load(std::span<const double> numbers) {
  const std::size_t cells = thickness_m_.size();
  std::size_t first = 0;
  for (auto* const field : {&thickness_m_, &skin_, &heat_j_m2_, &water_kg_m2_}) {
    std::ranges::copy(numbers.subspan(first, cells), field->begin());
    first += cells;
  }
}

}  // namespace halocline::coupling
