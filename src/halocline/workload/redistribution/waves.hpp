#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/bundle/field.hpp"

namespace halocline::workload {

/// Values of a field's points: a sum of sine waves with different frequencies and amplitudes along
/// each dimension, different for each field and seed.
class Waves {
 public:
  Waves(const layout::Box& grid, std::size_t field, std::uint64_t seed);

  /// The value at a point of the grid.
  double at(layout::Index x, layout::Index y, layout::Index z) const {
    return along_[0][static_cast<std::size_t>(x)] + along_[1][static_cast<std::size_t>(y)] +
           along_[2][static_cast<std::size_t>(z)];
  }

 private:
  std::array<std::vector<double>, 3> along_;
};

/// The points of a block, stored without gaps: the block's indices of the grid along x and y; all
/// along z.
struct BlockPoints {
  std::vector<layout::Index> x;
  std::vector<layout::Index> y;
  layout::Index extent_z;

  std::size_t size() const { return x.size() * y.size() * static_cast<std::size_t>(extent_z); }
};

/// Points in any order, numbered over the grid with the first dimension fastest.
struct ListedPoints {
  layout::Box grid;
  std::vector<layout::Index> numbers;

  std::size_t size() const { return numbers.size(); }
};

void write(const Waves& waves, const BlockPoints& points, std::span<double> values);
void write(const Waves& waves, const ListedPoints& points, std::span<double> values);

/// The first value that is not bitwise equal to the waves', in words.
std::optional<std::string> difference(const Waves& waves, const BlockPoints& points,
                                      std::span<const double> values);
std::optional<std::string> difference(const Waves& waves, const ListedPoints& points,
                                      std::span<const double> values);

}  // namespace halocline::workload
