#pragma once

#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/ordered.hpp"

namespace halocline::protocol {

/// When a sender sends: at once, or after the peer's notice that its receive is posted.
enum class SwapSend { at_once, after_handshake, ready_after_handshake };

/// Exchanges with one peer after the other, in order of rank XOR peer, as CAM's
/// swapm does: receives are posted some swaps ahead, and no more receives, sends or handshakes than
/// that are in progress.
///
/// Cannot deadlock: all ranks take their swaps in the same total order, and a rank that waits in
/// one has posted the receives of all before it and has sent them. A handshake has been received
/// once the payload that it requested has arrived.
template <SwapSend how>
class Swaps final : public Transport {
 public:
  static constexpr std::size_t most_under_way = 4;
  static constexpr std::string_view restriction = waits_in_start;

  Swaps(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator),
        swaps_(by_distance(messages, communicator.rank())),
        sends_(swaps_.size()),
        receives_(swaps_.size()),
        handshakes_(swaps_.size()) {}

  void post() override { post_before(most_under_way); }

  void start() override {
    for (std::size_t swap = 0; swap < swaps_.size(); ++swap) {
      if (swap > 0) {
        finish_receive(swap - 1);
      }
      post_before(swap + most_under_way);
      if (swap >= most_under_way) {
        sends_[swap - most_under_way].wait_all();
      }
      send(swaps_[swap].outgoing, sends_[swap]);
    }
  }

  void finish() override {
    for (std::size_t swap = 0; swap < swaps_.size(); ++swap) {
      finish_receive(swap);
      sends_[swap].wait_all();
    }
    posted_ = 0;
  }

 private:
  void finish_receive(std::size_t swap) {
    receives_[swap].wait_all();
    handshakes_[swap].wait_all();
  }

  void post_before(std::size_t end) {
    for (; posted_ < end && posted_ < swaps_.size(); ++posted_) {
      const Incoming& incoming = swaps_[posted_].incoming;
      if (incoming.peer == mpi::no_rank) {
        continue;
      }
      receives_[posted_].receive(communicator_, incoming.payload, incoming.peer);
      if constexpr (how != SwapSend::at_once) {
        handshakes_[posted_].send_notice(communicator_, incoming.peer);
      }
    }
  }

  void send(const Outgoing& outgoing, mpi::Requests& request) {
    if (outgoing.peer == mpi::no_rank) {
      return;
    }
    if constexpr (how != SwapSend::at_once) {
      communicator_.receive_notice(outgoing.peer);
    }
    if constexpr (how == SwapSend::ready_after_handshake) {
      communicator_.ready_send(outgoing.payload, outgoing.peer);
    } else {
      request.send(communicator_, outgoing.payload, outgoing.peer);
    }
  }

  const mpi::Communicator& communicator_;
  const std::vector<Swap> swaps_;
  std::vector<mpi::Requests> sends_;  // one per swap, empty where it has no such side
  std::vector<mpi::Requests> receives_;
  std::vector<mpi::Requests> handshakes_;  // that request the payloads of receives_
  std::size_t posted_ = 0;                 // swaps whose receives are posted
};

}  // namespace halocline::protocol
