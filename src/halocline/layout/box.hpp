#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace halocline::layout {

using Index = std::int64_t;

inline constexpr std::size_t max_dimensions = 4;

/// A box of indices, lower ≤ index < upper in each dimension; the first dimension is contiguous in
/// memory. Unused dimensions have the bounds 0 and 1.
struct Box {
  std::array<Index, max_dimensions> lower{0, 0, 0, 0};
  std::array<Index, max_dimensions> upper{1, 1, 1, 1};

  /// The box 0 ≤ index < extent in one dimension.
  static constexpr Box line(Index extent) {
    Box box;
    box.upper[0] = extent;
    return box;
  }

  constexpr Index extent(std::size_t dimension) const {
    return std::max<Index>(0, upper[dimension] - lower[dimension]);
  }

  /// Number of indices.
  constexpr Index volume() const {
    Index product = 1;
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      product *= extent(dimension);
    }
    return product;
  }

  constexpr bool empty() const {
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      if (upper[dimension] <= lower[dimension]) {
        return true;
      }
    }
    return false;
  }

  /// Whether the number of indices, and each dimension's, fit into Index.
  constexpr bool countable() const {
    constexpr Index largest = std::numeric_limits<Index>::max();
    Index product = 1;
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      if (lower[dimension] < 0 && upper[dimension] > largest + lower[dimension]) {
        return false;
      }
      const Index length = std::max<Index>(1, extent(dimension));
      if (product > largest / length) {
        return false;
      }
      product *= length;
    }
    return true;
  }

  constexpr bool contains(const Box& other) const {
    return other.empty() || intersection(other) == other;
  }

  constexpr Box intersection(const Box& other) const {
    Box common;
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      common.lower[dimension] = std::max(lower[dimension], other.lower[dimension]);
      common.upper[dimension] = std::min(upper[dimension], other.upper[dimension]);
    }
    return common;
  }

  /// The same box with other bounds in one dimension.
  constexpr Box with(std::size_t dimension, Index new_lower, Index new_upper) const {
    Box changed = *this;
    changed.lower[dimension] = new_lower;
    changed.upper[dimension] = new_upper;
    return changed;
  }

  /// The box extended by this many indices at both ends of a dimension.
  constexpr Box widened(std::size_t dimension, Index by) const {
    return with(dimension, lower[dimension] - by, upper[dimension] + by);
  }

  friend constexpr bool operator==(const Box&, const Box&) = default;
};

}  // namespace halocline::layout
