#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "halocline/bundle/field.hpp"
#include "halocline/protocol/protocol.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// Whether an exchange may keep fields in memory of its protocol, so that they need not be copied
/// there: a user who allows it asks where they are.
enum class Fields { stay, may_move };

/// What a protocol asks of the memory of one side.
struct Wanted {
  protocol::Form form;
  bool in_window;
};

/// One side of an exchange: a bundle, the legs that leave or reach it, and where their messages
/// lie.
class Side {
 public:
  Side(Bundle bundle, std::vector<route::Leg> legs, Wanted wanted, Fields fields);
  ~Side() = default;
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  const Bundle& bundle() const { return bundle_; }
  const std::vector<route::Leg>& legs() const { return legs_; }
  std::size_t message_bytes(const route::Leg& leg) const { return packed_bytes(bundle_, leg.box); }

  /// One message for each leg, in order. `Message` is Outgoing or Incoming.
  template <class Message>
  std::vector<Message> messages();
  /// Memory that the messages need in the protocol's window.
  std::size_t window_bytes() const { return window_bytes_; }
  /// Tells where the window is, once the protocol has made it. Fields that move are copied there.
  void use_window(std::byte* window);

  bool in_place() const { return staged_.empty(); }
  void pack();
  void unpack() const;

 private:
  struct Staged {
    layout::Box box;
    std::size_t offset_bytes;  // in the window
    std::vector<std::byte> own;
    std::span<std::byte> buffer;  // `own`, or a part of the window
  };

  bool can_move() const;
  std::size_t window_offset(const layout::Box& box);
  std::span<std::byte> place(const layout::Box& box);
  std::vector<mpi::Subarray> subarrays(const layout::Box& box) const;

  Bundle bundle_;
  std::vector<route::Leg> legs_;
  Wanted wanted_;
  bool moves_;
  std::size_t window_bytes_ = 0;
  std::vector<Staged> staged_;
};

template <class Message>
std::vector<Message> Side::messages() {
  std::vector<Message> messages;
  for (const route::Leg& leg : legs_) {
    Message message{.peer = leg.peer};
    if (wanted_.form == protocol::Form::boxes) {
      message.boxes = subarrays(leg.box);
    } else if (wanted_.in_window) {
      message.offset_bytes = window_offset(leg.box);
    } else {
      message.payload = place(leg.box);
    }
    message.size_bytes = message_bytes(leg);
    messages.push_back(std::move(message));
  }
  return messages;
}

}  // namespace halocline::bundle
