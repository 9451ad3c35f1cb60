#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halocline/base/copy_set.hpp"
#include "halocline/base/strided.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::bundle {

/// What travels to or from a peer in one message: boxes of memory, in the order that both ends use.
struct Parcel {
  int peer;
  std::vector<Strided> boxes;

  std::size_t size_bytes() const;
  /// Its memory if contiguous; otherwise empty although the parcel is not.
  std::span<std::byte> in_one_piece() const;
};

/// What a protocol asks of the memory of one side.
struct Wanted {
  protocol::Form form;
  bool in_window;
};

/// One side of an exchange: the parcels that leave or reach it, and where their messages lie.
class Side {
 public:
  /// `movable` memory may be kept in the protocol's window, so that its contents need no copy
  /// there.
  Side(std::vector<Parcel> parcels, Wanted wanted, std::span<std::byte> movable = {});
  ~Side() = default;
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  const std::vector<Parcel>& parcels() const { return parcels_; }

  /// One message for each parcel, in order. `Message` is Outgoing or Incoming.
  template <class Message>
  std::vector<Message> messages();
  /// Memory that the messages need in the protocol's window.
  std::size_t window_bytes() const { return window_bytes_; }
  /// Sets where the window is, once the protocol is bound; null if it has none. Movable memory is
  /// copied there. Needed before anything is packed.
  void use_window(std::byte* window);
  /// Where the movable memory has moved to, if it has.
  std::byte* moved_to() const { return moved_to_; }

  bool in_place() const { return staged_.empty(); }
  void pack() const { packing_.run(); }
  void unpack() const { unpacking_.run(); }

 private:
  struct Staged {
    std::size_t parcel;
    std::size_t offset_bytes;  // in the window
    std::vector<std::byte> own;
  };

  bool can_move() const;
  std::size_t window_offset(std::size_t parcel);
  std::span<std::byte> place(std::size_t parcel);

  std::vector<Parcel> parcels_;
  Wanted wanted_;
  std::span<std::byte> movable_;
  bool moves_;
  std::byte* moved_to_ = nullptr;
  std::size_t window_bytes_ = 0;
  std::vector<Staged> staged_;
  CopySet packing_;
  CopySet unpacking_;
};

template <class Message>
std::vector<Message> Side::messages() {
  std::vector<Message> messages;
  for (std::size_t parcel = 0; parcel < parcels_.size(); ++parcel) {
    Message message{.peer = parcels_[parcel].peer};
    if (wanted_.form == protocol::Form::boxes) {
      message.boxes = parcels_[parcel].boxes;
    } else if (wanted_.in_window) {
      message.offset_bytes = window_offset(parcel);
    } else {
      message.payload = place(parcel);
    }
    message.size_bytes = parcels_[parcel].size_bytes();
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace halocline::bundle
