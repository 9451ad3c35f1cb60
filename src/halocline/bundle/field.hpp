#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "halocline/base/strided.hpp"
#include "halocline/layout/box.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// Bytes from one index to the next along each dimension.
using Strides = std::array<std::ptrdiff_t, layout::max_dimensions>;

/// A rank's part of a field: values for the indices in `extent`, which may include ghost cells that
/// it does not own. Does not own the memory.
struct Field {
  std::byte* data;  // of the lowest indices
  std::size_t element_bytes;
  layout::Box extent;
  Strides stride_bytes = {};  // all 0: without gaps, the first dimension contiguous
};

/// Fields that travel on one route together. All have the same extent.
using Bundle = std::vector<Field>;

/// A box of the field in memory.
Strided strided(const Field& field, const layout::Box& box);

/// The box of a leg in a field, in the order in which it travels.
Strided strided(const Field& field, const route::Leg& leg);

/// The indices of a field that a leg moves.
layout::Box box_in(const Field& field, const route::Leg& leg);

/// Bytes of a leg's boxes over all fields of the bundle.
std::size_t packed_bytes(const Bundle& bundle, const route::Leg& leg);

/// Bytes of `box` over all fields of the bundle.
std::size_t packed_bytes(const Bundle& bundle, const layout::Box& box);

/// The box in memory, if it is one contiguous piece of a single field; otherwise an empty span
/// although the box is not empty.
std::span<std::byte> contiguous(const Bundle& bundle, const layout::Box& box);

/// Copies the box of each field in turn to or from `packed`, which has packed_bytes(bundle, box).
void pack(const Bundle& bundle, const layout::Box& box, std::span<std::byte> packed);
void unpack(std::span<const std::byte> packed, const Bundle& bundle, const layout::Box& box);

}  // namespace halocline::bundle
