#pragma once

#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/ordered.hpp"

namespace halocline::protocol {

/// How a sender sends: at once, or when the peer has said that its receive is posted.
enum class SwapSend { at_once, after_handshake, ready_after_handshake };

/// Exchanges with one peer after the other, the farthest by the bits of its rank last, as CAM's
/// swapm does: receives are posted some swaps ahead, and no more than that are under way, nor
/// sends, nor handshakes.
///
/// It cannot lock up: all ranks take their swaps in the same total order, and a rank that waits in
/// one has posted the receives of all before it and has sent them. A handshake has been received
/// when the payload that it asked for is here.
template <SwapSend how>
class Swaps final : public Transport {
 public:
  static constexpr std::size_t most_under_way = 4;

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
  std::vector<mpi::Requests> sends_;  // one for each swap, empty where it has no such side
  std::vector<mpi::Requests> receives_;
  std::vector<mpi::Requests> handshakes_;  // that the payloads of receives_ are asked for by
  std::size_t posted_ = 0;                 // swaps whose receives are
};

}  // namespace halocline::protocol
