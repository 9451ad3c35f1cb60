#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "halocline/base/strided.hpp"
#include "halocline/bundle/node_memory.hpp"

namespace halocline::bundle {

/// A part of a box of memory: one that the node's other ranks see, or one that they don't.
struct BoxPiece {
  Strided memory;
  std::array<std::int64_t, Strided::max_dimensions> first;  // its start in the box
  std::optional<std::size_t> offset_bytes;                  // of what is seen, in the rank's part

  bool whole;  // the box itself
};

/// The elements of a box from `first`, a given number along each dimension.
Strided part_of(const Strided& box, const std::array<std::int64_t, Strided::max_dimensions>& first,
                const std::array<std::int64_t, Strided::max_dimensions>& count);

/// Visits parts that make up the box, as few as the ends of what others see allow. Those of a box
/// that lies in the middle of adopted arrays, or in the library's memory, are one.
void for_each_piece(const Strided& box, const NodeMemory* memory,
                    const std::function<void(const BoxPiece&)>& visit);

}  // namespace halocline::bundle
