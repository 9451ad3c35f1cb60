#include "halocline/base/strided.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "halocline/base/compat/streaming_store.hpp"
#include "halocline/base/units.hpp"

namespace halocline {
namespace {

constexpr std::size_t shortest_streamed_bytes = 256;
constexpr std::size_t shortest_ragged_bytes = 2048;  // of rows that end within cache lines
constexpr std::size_t line_bytes = 64;
constexpr std::size_t widest_column_bytes = line_bytes;
constexpr std::ptrdiff_t least_row_distance = 512;  // nearer rows share lines, or are prefetched

void copy_streaming(std::byte* to, const std::byte* from, std::size_t row_bytes) {
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % streaming_bytes;
  const std::size_t head = (streaming_bytes - misaligned) % streaming_bytes;
  std::memcpy(to, from, head);
  std::size_t done = head;
  for (; done + streaming_bytes <= row_bytes; done += streaming_bytes) {
    StreamedPair pair;
    std::memcpy(&pair, from + done, sizeof pair);
    store_streaming(reinterpret_cast<StreamedPair*>(to + done), pair);
  }
  std::memcpy(to + done, from + done, row_bytes - done);
}

/// Calls copy(bytes), where the compiler knows the length of rows as short as a halo's width: they
/// are copied by a move or two, not by a call.
template <class CopyRows>
void with_length(std::size_t row_bytes, CopyRows copy) {
  switch (row_bytes) {
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    case 16:
      return copy(std::integral_constant<std::size_t, 16>{});
    case 24:
      return copy(std::integral_constant<std::size_t, 24>{});
    case 32:
      return copy(std::integral_constant<std::size_t, 32>{});
    default:
      return copy(row_bytes);
  }
}

}  // namespace

std::size_t Strided::size_bytes() const {
  std::size_t product = element_bytes;
  for (const std::int64_t along : count) {
    product *= static_cast<std::size_t>(std::max<std::int64_t>(along, 0));
  }
  return product;
}

bool Strided::contiguous() const {
  auto expected = static_cast<std::ptrdiff_t>(element_bytes);
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    if (count[dimension] != 1 && stride_bytes[dimension] != expected) {
      return false;
    }
    expected *= count[dimension];
  }
  return true;
}

Strided Strided::packed_at(std::byte* address) const {
  Strided packed{
      .base = address, .element_bytes = element_bytes, .count = count, .stride_bytes = {}};
  auto stride = static_cast<std::ptrdiff_t>(element_bytes);
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    packed.stride_bytes[dimension] = stride;
    stride *= count[dimension];
  }
  return packed;
}

Copy::Copy(const Strided& to, const Strided& from)
    : to_(to.base),
      from_(from.base),
      size_bytes_(to.size_bytes()),
      element_bytes_(to.element_bytes),
      row_bytes_(to.element_bytes) {
  std::array<Loop, Strided::max_dimensions> all{};
  for (std::size_t dimension = 0; dimension < Strided::max_dimensions; ++dimension) {
    all[dimension] = {.count = to.count[dimension],
                      .to_stride = to.stride_bytes[dimension],
                      .from_stride = from.stride_bytes[dimension]};
  }
  // Writes in memory order of the destination.
  std::ranges::stable_sort(all, {}, &Loop::to_stride);
  for (const Loop& next : all) {
    if (next.count != 1) {
      join(next);
    }
  }
}

void Copy::join(const Loop& next) {
  const auto row = static_cast<std::ptrdiff_t>(row_bytes_);
  if (used_ == 0 && next.to_stride == row && next.from_stride == row) {
    row_bytes_ *= static_cast<std::size_t>(next.count);
    return;
  }
  if (used_ > 0) {
    Loop& last = loops_[used_ - 1];
    if (next.to_stride == last.to_stride * last.count &&
        next.from_stride == last.from_stride * last.count) {
      last.count *= next.count;
      return;
    }
  }
  loops_[used_++] = next;
}

std::vector<Copy> Copy::divided(std::size_t parts) const {
  if (used_ == 0) {
    return divided_row(parts);
  }
  const auto longest =
      std::ranges::max_element(loops_, {}, [](const Loop& loop) { return loop.count; });
  const auto wanted = static_cast<std::int64_t>(parts);
  std::vector<Copy> all;
  for (std::int64_t part = 0; part < wanted; ++part) {
    const std::int64_t begin = longest->count * part / wanted;
    const std::int64_t count = longest->count * (part + 1) / wanted - begin;
    if (count > 0 && size_bytes_ > 0) {
      Copy& piece = all.emplace_back(*this);
      piece.to_ += begin * longest->to_stride;
      piece.from_ += begin * longest->from_stride;
      piece.loops_[static_cast<std::size_t>(longest - loops_.begin())].count = count;
      piece.size_bytes_ =
          size_bytes_ / static_cast<std::size_t>(longest->count) * static_cast<std::size_t>(count);
    }
  }
  return all;
}

/// One row in whole lines.
std::vector<Copy> Copy::divided_row(std::size_t parts) const {
  const std::size_t part_bytes = rounded_up((size_bytes_ + parts - 1) / parts, line_bytes);
  std::vector<Copy> all;
  for (std::size_t begin = 0; begin < size_bytes_; begin += part_bytes) {
    Copy& piece = all.emplace_back(*this);
    piece.to_ += begin;
    piece.from_ += begin;
    piece.row_bytes_ = piece.size_bytes_ = std::min(part_bytes, size_bytes_ - begin);
  }
  return all;
}

void Copy::run(Stores stores) const {
  if (size_bytes_ == 0) {
    return;
  }
  if (stores == Stores::streaming && can_stream()) {
    for_each_row(
        [this](std::byte* to, const std::byte* from) { copy_streaming(to, from, row_bytes_); });
  } else if (row_bytes_ > element_bytes_ || used_ == 0) {
    copy_rows();
  } else {
    copy_by_elements();
  }
}

/// A line stored past the caches in two parts costs more than the rest of a short row saves.
bool Copy::can_stream() const {
  if (!has_streaming_stores || row_bytes_ < shortest_streamed_bytes) {
    return false;
  }
  const auto whole_lines = [](std::ptrdiff_t bytes) {
    return bytes % std::ptrdiff_t{line_bytes} == 0;
  };
  const bool follow_each_other = used_ > 0 && std::cmp_equal(loops_.front().to_stride, row_bytes_);
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(to_) % line_bytes == 0 && row_bytes_ % line_bytes == 0 &&
      std::ranges::all_of(std::span(loops_).first(used_), whole_lines, &Loop::to_stride);
  return follow_each_other || aligned || row_bytes_ >= shortest_ragged_bytes;
}

bool Copy::column() const {
  const auto loops = std::span(loops_).first(used_);
  return used_ > 0 && row_bytes_ <= widest_column_bytes &&
         std::ranges::is_sorted(loops, {}, &Loop::from_stride) && loops.front().from_stride > 0 &&
         std::max(loops.front().from_stride, loops.front().to_stride) >= least_row_distance;
}

/// Of the side whose rows are further apart: the other may be packed.
std::uintptr_t Copy::address_where_apart() const {
  const Loop& rows = loops_.front();
  return reinterpret_cast<std::uintptr_t>(rows.from_stride > rows.to_stride ? from_ : to_);
}

bool Copy::before(const Copy& one, const Copy& other) {
  return std::tuple(one.row_bytes_, one.loops_, one.address_where_apart()) <
         std::tuple(other.row_bytes_, other.loops_, other.address_where_apart());
}

bool Copy::alike(const Copy& other) const {
  return column() && row_bytes_ == other.row_bytes_ && loops_ == other.loops_;
}

void Copy::run_together(std::span<const Copy> copies, Stores stores) {
  if (copies.size() == 1) {
    return copies.front().run(stores);
  }
  const auto of_bytes = [copies](auto bytes) {
    copies.front().for_each_place([&](std::ptrdiff_t to, std::ptrdiff_t from) {
      for (const Copy& copy : copies) {
        std::memcpy(copy.to_ + to, copy.from_ + from, bytes);
      }
    });
  };
  with_length(copies.front().row_bytes_, of_bytes);
}

/// Calls visit(to, from) with the distances from the first row, for each iteration of the loops.
template <class Visit>
void Copy::for_each_place(Visit visit) const {
  const auto& [i, j, k, l] = loops_;
  for (std::int64_t at_l = 0; at_l < l.count; ++at_l) {
    for (std::int64_t at_k = 0; at_k < k.count; ++at_k) {
      for (std::int64_t at_j = 0; at_j < j.count; ++at_j) {
        const std::ptrdiff_t to = at_l * l.to_stride + at_k * k.to_stride + at_j * j.to_stride;
        const std::ptrdiff_t from =
            at_l * l.from_stride + at_k * k.from_stride + at_j * j.from_stride;
        for (std::int64_t at_i = 0; at_i < i.count; ++at_i) {
          visit(to + at_i * i.to_stride, from + at_i * i.from_stride);
        }
      }
    }
  }
}

/// Calls visit(to, from) with the addresses.
template <class Visit>
void Copy::for_each_row(Visit visit) const {
  for_each_place([&](std::ptrdiff_t to, std::ptrdiff_t from) { visit(to_ + to, from_ + from); });
}

void Copy::copy_rows() const {
  with_length(row_bytes_, [this](auto bytes) {
    for_each_row([bytes](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); });
  });
}

/// Elements that are not contiguous on both sides. Two dimensions at a time in tiles: where
/// neighbours on one side are far apart on the other, each cache line is then fully used.
template <std::size_t element_bytes>
void Copy::copy_elements() const {
  constexpr std::int64_t tile = 16;
  Copy tiles = *this;
  auto* const begin = tiles.loops_.begin();
  auto* const nearest =
      std::min_element(begin, begin + used_, [](const Loop& one, const Loop& other) {
        return std::abs(one.from_stride) < std::abs(other.from_stride);
      });
  if (nearest != begin) {
    std::rotate(begin + 1, nearest, nearest + 1);
  }
  const Loop across = std::exchange(tiles.loops_[0], {});
  const Loop down = std::exchange(tiles.loops_[1], {});
  tiles.for_each_row([&](std::byte* to, const std::byte* from) {
    for (std::int64_t first_down = 0; first_down < down.count; first_down += tile) {
      const std::int64_t last_down = std::min(first_down + tile, down.count);
      for (std::int64_t first_across = 0; first_across < across.count; first_across += tile) {
        const std::int64_t last_across = std::min(first_across + tile, across.count);
        for (std::int64_t at_down = first_down; at_down < last_down; ++at_down) {
          std::byte* const row_to = to + at_down * down.to_stride;
          const std::byte* const row_from = from + at_down * down.from_stride;
          for (std::int64_t at = first_across; at < last_across; ++at) {
            std::memcpy(row_to + at * across.to_stride, row_from + at * across.from_stride,
                        element_bytes);
          }
        }
      }
    }
  });
}

void Copy::copy_by_elements() const {
  switch (element_bytes_) {
    case 1:
      return copy_elements<1>();
    case 2:
      return copy_elements<2>();
    case 4:
      return copy_elements<4>();
    case 8:
      return copy_elements<8>();
    case 16:
      return copy_elements<16>();
    default:
      for_each_row(
          [this](std::byte* to, const std::byte* from) { std::memcpy(to, from, element_bytes_); });
  }
}

}  // namespace halocline
