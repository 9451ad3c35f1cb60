#include "halocline/bundle/field.hpp"

#include <cstring>

namespace halocline::bundle {
namespace {

using layout::Box;
using layout::Index;

/// Distance in elements from the extent's first element to the one at these indices.
std::size_t offset_of(const Box& extent, Index i, Index j, Index k, Index l) {
  const Index rows = (l - extent.lower[3]) * extent.extent(2) + (k - extent.lower[2]);
  const Index row = rows * extent.extent(1) + (j - extent.lower[1]);
  return static_cast<std::size_t>(row * extent.extent(0) + (i - extent.lower[0]));
}

/// Calls `copy(row, bytes)` for each contiguous row of the box.
template <class Copy>
void for_each_row(const Field& field, const Box& box, Copy copy) {
  const std::size_t row_bytes = static_cast<std::size_t>(box.extent(0)) * field.element_bytes;
  for (Index l = box.lower[3]; l < box.upper[3]; ++l) {
    for (Index k = box.lower[2]; k < box.upper[2]; ++k) {
      for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
        copy(field.data + offset_of(field.extent, box.lower[0], j, k, l) * field.element_bytes,
             row_bytes);
      }
    }
  }
}

/// Whether all dimensions below the last that the box spans are whole.
bool one_piece(const Box& extent, const Box& box) {
  bool all_whole_so_far = true;
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    if (!all_whole_so_far && box.extent(dimension) != 1) {
      return false;
    }
    all_whole_so_far = all_whole_so_far && box.extent(dimension) == extent.extent(dimension);
  }
  return true;
}

}  // namespace

std::size_t packed_bytes(const Bundle& bundle, const Box& box) {
  std::size_t bytes = 0;
  for (const Field& field : bundle) {
    bytes += static_cast<std::size_t>(box.volume()) * field.element_bytes;
  }
  return bytes;
}

std::span<std::byte> contiguous(const Bundle& bundle, const Box& box) {
  if (bundle.size() != 1 || box.empty() || !one_piece(bundle.front().extent, box)) {
    return {};
  }
  const Field& field = bundle.front();
  const std::size_t first =
      offset_of(field.extent, box.lower[0], box.lower[1], box.lower[2], box.lower[3]);
  return {field.data + first * field.element_bytes, packed_bytes(bundle, box)};
}

void pack(const Bundle& bundle, const Box& box, std::span<std::byte> packed) {
  std::byte* next = packed.data();
  for (const Field& field : bundle) {
    for_each_row(field, box, [&next](const std::byte* row, std::size_t bytes) {
      std::memcpy(next, row, bytes);
      next += bytes;
    });
  }
}

void unpack(std::span<const std::byte> packed, const Bundle& bundle, const Box& box) {
  const std::byte* next = packed.data();
  for (const Field& field : bundle) {
    for_each_row(field, box, [&next](std::byte* row, std::size_t bytes) {
      std::memcpy(row, next, bytes);
      next += bytes;
    });
  }
}

}  // namespace halocline::bundle
