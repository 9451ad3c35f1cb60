#include "halocline/bundle/side.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace halocline::bundle {
namespace {

constexpr std::size_t line_bytes = 64;  // messages in a window share no cache line

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

mpi::Subarray subarray(const Field& field, const layout::Box& box) {
  static_assert(mpi::Subarray::max_dimensions == layout::max_dimensions);
  mpi::Subarray subarray{.base = field.data,
                         .element_bytes = field.element_bytes,
                         .extent = {},
                         .first = {},
                         .count = {}};
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    subarray.extent[dimension] = field.extent.extent(dimension);
    subarray.first[dimension] = box.lower[dimension] - field.extent.lower[dimension];
    subarray.count[dimension] = box.extent(dimension);
  }
  return subarray;
}

}  // namespace

Side::Side(Bundle bundle, std::vector<route::Leg> legs, Wanted wanted, Fields fields)
    : bundle_(std::move(bundle)),
      legs_(std::move(legs)),
      wanted_(wanted),
      moves_(wanted.in_window && fields == Fields::may_move && can_move()) {
  if (moves_) {
    window_bytes_ = packed_bytes(bundle_, bundle_.front().extent);
  }
}

/// Whether the window can hold the field itself, with each message a piece of it.
bool Side::can_move() const {
  return bundle_.size() == 1 && !legs_.empty() &&
         std::ranges::all_of(legs_, [this](const route::Leg& leg) {
           return leg.box.empty() || !contiguous(bundle_, leg.box).empty();
         });
}

std::size_t Side::window_offset(const layout::Box& box) {
  if (box.empty()) {
    return 0;
  }
  if (moves_) {
    return static_cast<std::size_t>(contiguous(bundle_, box).data() - bundle_.front().data);
  }
  const std::size_t offset_bytes = window_bytes_;
  window_bytes_ += whole_lines(packed_bytes(bundle_, box));
  staged_.push_back({.box = box, .offset_bytes = offset_bytes, .own = {}, .buffer = {}});
  return offset_bytes;
}

std::span<std::byte> Side::place(const layout::Box& box) {
  const std::span<std::byte> in_place = contiguous(bundle_, box);
  if (!in_place.empty() || box.empty()) {
    return in_place;
  }
  Staged& staged =
      staged_.emplace_back(Staged{.box = box,
                                  .offset_bytes = 0,
                                  .own = std::vector<std::byte>(packed_bytes(bundle_, box)),
                                  .buffer = {}});
  staged.buffer = staged.own;
  return staged.buffer;
}

std::vector<mpi::Subarray> Side::subarrays(const layout::Box& box) const {
  std::vector<mpi::Subarray> boxes;
  for (const Field& field : bundle_) {
    boxes.push_back(subarray(field, box));
  }
  return boxes;
}

void Side::use_window(std::byte* window) {
  if (moves_ && window_bytes_ > 0) {
    std::memcpy(window, bundle_.front().data, window_bytes_);
    bundle_.front().data = window;
  }
  for (Staged& staged : staged_) {
    if (staged.own.empty()) {
      staged.buffer = {window + staged.offset_bytes, packed_bytes(bundle_, staged.box)};
    }
  }
}

void Side::pack() {
  for (const Staged& staged : staged_) {
    bundle::pack(bundle_, staged.box, staged.buffer);
  }
}

void Side::unpack() const {
  for (const Staged& staged : staged_) {
    bundle::unpack(staged.buffer, bundle_, staged.box);
  }
}

}  // namespace halocline::bundle
