#include "halocline/bundle/box_pieces.hpp"

#include <cstdlib>
#include <span>

namespace halocline::bundle {
namespace {

using Place = std::array<std::int64_t, Strided::max_dimensions>;

std::ptrdiff_t address_of(const std::byte* byte) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(byte));
}

/// All bytes from a box's first to its last.
std::span<const std::byte> reach(const Strided& box) {
  const std::byte* low = box.base;
  const std::byte* high = box.base;
  for (std::size_t dimension = 0; dimension < Strided::max_dimensions; ++dimension) {
    const std::ptrdiff_t along = (box.count[dimension] - 1) * box.stride_bytes[dimension];
    (along < 0 ? low : high) += along;
  }
  return {low, high + box.element_bytes};
}

/// Cuts a box at the ends of what other ranks see of it.
class Cutter {
 public:
  Cutter(const Strided& box, const NodeMemory& memory,
         const std::function<void(const BoxPiece&)>& visit)
      : box_(box), memory_(memory), visit_(visit) {}

  void cut(const Place& first, const Place& count) const {
    const Kind kind = kind_of(first, count);
    const std::size_t dimension = slowest_dimension(part_of(box_, first, count));
    if (!kind.both || count[dimension] == 1) {
      visit(first, count, kind);
    } else {
      cut_along(dimension, first, count);
    }
  }

 private:
  /// How others see memory: all of it, this far from its address; nothing of it; or a part.
  struct Kind {
    std::optional<std::ptrdiff_t> shift_bytes;
    bool both = false;

    friend bool operator==(const Kind&, const Kind&) = default;
  };

  void visit(const Place& first, const Place& count, const Kind& kind) const {
    const Strided part = part_of(box_, first, count);
    std::optional<std::size_t> offset_bytes;
    if (kind.shift_bytes) {
      offset_bytes = static_cast<std::size_t>(*kind.shift_bytes + address_of(part.base));
    }
    visit_({.memory = part,
            .first = first,
            .offset_bytes = offset_bytes,
            .whole = count == box_.count});
  }

  Kind kind_of(const Place& first, const Place& count) const {
    const auto bytes = reach(part_of(box_, first, count));
    if (const auto offset_bytes = memory_.offset_of(bytes)) {
      return {.shift_bytes = static_cast<std::ptrdiff_t>(*offset_bytes) - address_of(bytes.data())};
    }
    return {.shift_bytes = std::nullopt, .both = memory_.touches(bytes)};
  }

  /// Slabs of one kind stay together.
  void cut_along(std::size_t dimension, const Place& first, const Place& count) const {
    Place slab_first = first;
    Place slab_count = count;
    slab_count[dimension] = 1;
    Place run_first = first;
    Place run_count = slab_count;
    Kind run = kind_of(slab_first, slab_count);
    for (std::int64_t at = 1; at < count[dimension]; ++at) {
      ++slab_first[dimension];
      const Kind kind = kind_of(slab_first, slab_count);
      if (kind == run && !kind.both) {
        ++run_count[dimension];
        continue;
      }
      end(run_first, run_count, run);
      run_first = slab_first;
      run_count = slab_count;
      run = kind;
    }
    end(run_first, run_count, run);
  }

  void end(const Place& first, const Place& count, const Kind& kind) const {
    if (kind.both) {
      cut(first, count);
    } else {
      visit(first, count, kind);
    }
  }

  const Strided& box_;
  const NodeMemory& memory_;
  const std::function<void(const BoxPiece&)>& visit_;
};

}  // namespace

Strided part_of(const Strided& box, const Place& first, const Place& count) {
  Strided part = box;
  part.count = count;
  for (std::size_t dimension = 0; dimension < Strided::max_dimensions; ++dimension) {
    part.base += first[dimension] * box.stride_bytes[dimension];
  }
  return part;
}

std::size_t slowest_dimension(const Strided& box) {
  std::size_t slowest = 0;
  for (std::size_t dimension = 1; dimension < Strided::max_dimensions; ++dimension) {
    if (box.count[dimension] > 1 &&
        (box.count[slowest] == 1 ||
         std::abs(box.stride_bytes[dimension]) > std::abs(box.stride_bytes[slowest]))) {
      slowest = dimension;
    }
  }
  return slowest;
}

void for_each_piece(const Strided& box, const NodeMemory* memory,
                    const std::function<void(const BoxPiece&)>& visit) {
  if (box.empty()) {
    return;
  }
  if (memory == nullptr) {
    visit({.memory = box, .first = {}, .offset_bytes = std::nullopt, .whole = true});
    return;
  }
  Cutter(box, *memory, visit).cut({}, box.count);
}

}  // namespace halocline::bundle
