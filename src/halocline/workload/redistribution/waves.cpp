#include "halocline/workload/redistribution/waves.hpp"

#include <bit>
#include <cmath>

namespace halocline::workload {

Waves::Waves(const layout::Box& grid, std::size_t field, std::uint64_t seed) {
  constexpr std::array amplitudes{3.0, 1.0, 0.25};
  constexpr std::array frequencies{0.37, 2.41, 17.3};  // no whole periods: few values come twice
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
  std::size_t at = 0;
  for (layout::Index z = 0; z < points.extent_z; ++z) {
    for (const layout::Index y : points.y) {
      for (const layout::Index x : points.x) {
        values[at++] = waves.at(x, y, z);
      }
    }
  }
}

std::optional<std::string> difference(const Waves& waves, const BlockPoints& points,
                                      std::span<const double> values) {
  std::size_t at = 0;
  for (layout::Index z = 0; z < points.extent_z; ++z) {
    for (const layout::Index y : points.y) {
      for (const layout::Index x : points.x) {
        const double expected = waves.at(x, y, z);
        const double found = values[at++];
        if (std::bit_cast<std::uint64_t>(found) != std::bit_cast<std::uint64_t>(expected)) {
          return "point (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                 std::to_string(z) + ") is " + std::to_string(found) + ", expected " +
                 std::to_string(expected);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace halocline::workload
