#include "halocline/bundle/field.hpp"

namespace halocline::bundle {
namespace {

using layout::Box;
using layout::max_dimensions;

/// The field's strides; without gaps unless given.
Strides strides_of(const Field& field) {
  if (field.stride_bytes != Strides{}) {
    return field.stride_bytes;
  }
  Strides strides{};
  auto next = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    strides[dimension] = next;
    next *= field.extent.extent(dimension);
  }
  return strides;
}

}  // namespace

Strided strided(const Field& field, const Box& box) {
  const Strides strides = strides_of(field);
  Strided place{.base = field.data,
                .element_bytes = field.element_bytes,
                .count = {},
                .stride_bytes = strides};
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    place.count[dimension] = box.extent(dimension);
    place.base += (box.lower[dimension] - field.extent.lower[dimension]) * strides[dimension];
  }
  return place;
}

Box box_in(const Field& field, const route::Leg& leg) {
  Box box = leg.box;
  for (std::size_t dimension = leg.dimensions; dimension < max_dimensions; ++dimension) {
    box = box.with(dimension, field.extent.lower[dimension], field.extent.upper[dimension]);
  }
  return box;
}

Strided strided(const Field& field, const route::Leg& leg) {
  Strided place = strided(field, box_in(field, leg));
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    if ((leg.reversed >> dimension & 1U) != 0) {
      place.base += (place.count[dimension] - 1) * place.stride_bytes[dimension];
      place.stride_bytes[dimension] = -place.stride_bytes[dimension];
    }
  }
  return place;
}

std::size_t packed_bytes(const Bundle& bundle, const route::Leg& leg) {
  std::size_t bytes = 0;
  for (const Field& field : bundle) {
    bytes += static_cast<std::size_t>(box_in(field, leg).volume()) * field.element_bytes;
  }
  return bytes;
}

std::size_t packed_bytes(const Bundle& bundle, const Box& box) {
  std::size_t bytes = 0;
  for (const Field& field : bundle) {
    bytes += static_cast<std::size_t>(box.volume()) * field.element_bytes;
  }
  return bytes;
}

std::span<std::byte> contiguous(const Bundle& bundle, const Box& box) {
  if (bundle.size() != 1 || box.empty()) {
    return {};
  }
  const Strided place = strided(bundle.front(), box);
  return place.contiguous() ? std::span(place.base, place.size_bytes()) : std::span<std::byte>{};
}

void pack(const Bundle& bundle, const Box& box, std::span<std::byte> packed) {
  std::byte* next = packed.data();
  for (const Field& field : bundle) {
    const Strided place = strided(field, box);
    copy(place.packed_at(next), place);
    next += place.size_bytes();
  }
}

void unpack(std::span<const std::byte> packed, const Bundle& bundle, const Box& box) {
  const std::byte* next = packed.data();
  for (const Field& field : bundle) {
    const Strided place = strided(field, box);
    copy(place, place.packed_at(const_cast<std::byte*>(next)));  // which is only read
    next += place.size_bytes();
  }
}

}  // namespace halocline::bundle
