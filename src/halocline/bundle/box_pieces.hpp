#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "halocline/base/strided.hpp"
#include "halocline/bundle/node_memory.hpp"

namespace halocline::bundle {

/// A part of a box in memory, seen by the node's other ranks or not.
struct BoxPiece {
  Strided memory;
  std::array<std::int64_t, Strided::max_dimensions> first;  // its start in the box
  std::optional<std::size_t> offset_bytes;                  // in the rank's part, if others see it

  bool whole;  // the box itself
};

/// The elements of a box from `first`, a given number along each dimension.
Strided part_of(const Strided& box, const std::array<std::int64_t, Strided::max_dimensions>& first,
                const std::array<std::int64_t, Strided::max_dimensions>& count);

/// The dimension with elements furthest apart in memory.
std::size_t slowest_dimension(const Strided& box);

/// Visits the fewest parts that make up the box, each either seen or not seen by others. A box in
/// the library's memory, or away from the ends of adopted arrays, is one part.
void for_each_piece(const Strided& box, const NodeMemory* memory,
                    const std::function<void(const BoxPiece&)>& visit);

}  // namespace halocline::bundle
