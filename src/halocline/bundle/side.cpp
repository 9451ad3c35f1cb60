#include "halocline/bundle/side.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "halocline/base/units.hpp"

namespace halocline::bundle {
namespace {

constexpr std::size_t line_bytes = 64;  // messages in a window share no cache line

}  // namespace

std::size_t Parcel::size_bytes() const {
  std::size_t bytes = 0;
  for (const Strided& box : boxes) {
    bytes += box.size_bytes();
  }
  return bytes;
}

std::span<std::byte> Parcel::in_one_piece() const {
  if (boxes.size() != 1 || !boxes.front().contiguous()) {
    return {};
  }
  return {boxes.front().base, boxes.front().size_bytes()};
}

Side::Side(std::vector<Parcel> parcels, Wanted wanted, std::span<std::byte> movable)
    : parcels_(std::move(parcels)),
      wanted_(wanted),
      movable_(movable),
      moves_(wanted.in_window && !movable.empty() && can_move()) {
  if (moves_) {
    window_bytes_ = movable_.size();
  }
}

/// Whether each message is a piece of the movable memory.
bool Side::can_move() const {
  return !parcels_.empty() && std::ranges::all_of(parcels_, [](const Parcel& parcel) {
    return parcel.size_bytes() == 0 || !parcel.in_one_piece().empty();
  });
}

std::size_t Side::window_offset(std::size_t parcel) {
  const std::size_t size_bytes = parcels_[parcel].size_bytes();
  if (size_bytes == 0) {
    return 0;
  }
  if (moves_) {
    return static_cast<std::size_t>(parcels_[parcel].in_one_piece().data() - movable_.data());
  }
  const std::size_t offset_bytes = window_bytes_;
  window_bytes_ += rounded_up(size_bytes, line_bytes);
  staged_.push_back({.parcel = parcel, .offset_bytes = offset_bytes, .own = {}});
  return offset_bytes;
}

std::span<std::byte> Side::place(std::size_t parcel) {
  const std::span<std::byte> in_place = parcels_[parcel].in_one_piece();
  const std::size_t size_bytes = parcels_[parcel].size_bytes();
  if (!in_place.empty() || size_bytes == 0) {
    return in_place;
  }
  return staged_
      .emplace_back(
          Staged{.parcel = parcel, .offset_bytes = 0, .own = std::vector<std::byte>(size_bytes)})
      .own;
}

void Side::use_window(std::byte* window) {
  if (moves_) {
    std::memcpy(window, movable_.data(), movable_.size());
    moved_to_ = window;
  }
  std::vector<Copy> packing;
  std::vector<Copy> unpacking;
  for (Staged& staged : staged_) {
    std::byte* buffer = staged.own.empty() ? window + staged.offset_bytes : staged.own.data();
    for (const Strided& box : parcels_[staged.parcel].boxes) {
      packing.emplace_back(box.packed_at(buffer), box);
      unpacking.emplace_back(box, box.packed_at(buffer));
      buffer += box.size_bytes();
    }
  }
  packing_ = CopySet(std::move(packing));
  unpacking_ = CopySet(std::move(unpacking));
}

}  // namespace halocline::bundle
