#include "halocline/workload/redistribution/waves.hpp"

#include <bit>
#include <cmath>

#include "halocline/base/words.hpp"

namespace halocline::workload {
namespace {

/// In storage order, until the visitor returns false.
template <class Visit>
void for_each(const BlockPoints& points, Visit visit) {
  for (layout::Index z = 0; z < points.extent_z; ++z) {
    for (const layout::Index y : points.y) {
      for (const layout::Index x : points.x) {
        if (!visit(x, y, z)) {
          return;
        }
      }
    }
  }
}

template <class Visit>
void for_each(const ListedPoints& points, Visit visit) {
  const layout::Index extent_x = points.grid.extent(0);
  const layout::Index extent_y = points.grid.extent(1);
  for (const layout::Index number : points.numbers) {
    const layout::Index row = number / extent_x;
    if (!visit(number % extent_x, row % extent_y, row / extent_y)) {
      return;
    }
  }
}

template <class Points>
void write_all(const Waves& waves, const Points& points, std::span<double> values) {
  std::size_t at = 0;
  for_each(points, [&](layout::Index x, layout::Index y, layout::Index z) {
    values[at++] = waves.at(x, y, z);
    return true;
  });
}

template <class Points>
std::optional<std::string> first_wrong_point(const Waves& waves, const Points& points,
                                             std::span<const double> values) {
  std::size_t at = 0;
  std::optional<std::string> wrong;
  for_each(points, [&](layout::Index x, layout::Index y, layout::Index z) {
    const double expected = waves.at(x, y, z);
    const double found = values[at++];
    if (std::bit_cast<std::uint64_t>(found) != std::bit_cast<std::uint64_t>(expected)) {
      wrong = "point (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
              ") is " + number_text(found, all_digits) + ", expected " +
              number_text(expected, all_digits);
    }
    return !wrong;
  });
  return wrong;
}

}  // namespace

Waves::Waves(const layout::Box& grid, std::size_t field, std::uint64_t seed) {
  constexpr std::array amplitudes{3.0, 1.0, 0.25};
  constexpr std::array frequencies{0.37, 2.41, 17.3};  // no whole periods: few values repeat
  for (std::size_t dimension = 0; dimension < along_.size(); ++dimension) {
    const auto extent = static_cast<std::size_t>(grid.extent(dimension));
    along_[dimension].resize(extent);
    const double phase = 0.1 * static_cast<double>(field + 1) * static_cast<double>(dimension + 1) +
                         static_cast<double>(seed % 1024);
    for (std::size_t index = 0; index < extent; ++index) {
      const double place = static_cast<double>(index) / static_cast<double>(extent);
      for (std::size_t wave = 0; wave < amplitudes.size(); ++wave) {
        const double frequency = frequencies[wave] + static_cast<double>(field);
        along_[dimension][index] += amplitudes[wave] * std::sin(6.283 * frequency * place + phase);
      }
    }
  }
}

void write(const Waves& waves, const BlockPoints& points, std::span<double> values) {
  write_all(waves, points, values);
}

void write(const Waves& waves, const ListedPoints& points, std::span<double> values) {
  write_all(waves, points, values);
}

std::optional<std::string> difference(const Waves& waves, const BlockPoints& points,
                                      std::span<const double> values) {
  return first_wrong_point(waves, points, values);
}

std::optional<std::string> difference(const Waves& waves, const ListedPoints& points,
                                      std::span<const double> values) {
  return first_wrong_point(waves, points, values);
}

}  // namespace halocline::workload
