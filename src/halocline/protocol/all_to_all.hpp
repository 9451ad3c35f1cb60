#pragma once

#include <type_traits>
#include <vector>

#include "halocline/mpi/requests.hpp"
#include "halocline/protocol/pieces.hpp"
#include "halocline/protocol/typed_pieces.hpp"

namespace halocline::protocol {

/// Whom a call reaches.
enum class Among {
  all_ranks,
  neighbours  // only those with a message, on a graph of them
};

/// How the call returns.
enum class Call { blocking, nonblocking, persistent };

/// One collective call carries all messages: MPI_Alltoallv for packed messages, MPI_Alltoallw for
/// boxes, and their nonblocking, persistent and neighbourhood forms.
template <Among among, Form form, Call call>
class AllToAll final : public Transport {
 public:
  static constexpr std::string_view restriction = call == Call::blocking ? waits_in_start : "";

  AllToAll(const mpi::Communicator& communicator, const Messages& messages)
      : communicator_(communicator_of(communicator, messages)),
        outgoing_(messages.sends, peers(communicator, messages.sends)),
        incoming_(messages.receives, peers(communicator, messages.receives)) {
    if constexpr (call == Call::persistent && among == Among::neighbours) {
      request_.prepare_neighbour_all_to_all(communicator_, outgoing_.pieces(), incoming_.pieces());
    } else if constexpr (call == Call::persistent) {
      request_.prepare_all_to_all(communicator_, outgoing_.pieces(), incoming_.pieces());
    }
  }

  static void require_countable(const mpi::Communicator& communicator, const Messages& messages) {
    if constexpr (packed) {
      require_pieces(messages.sends, peers(communicator, messages.sends));
      require_pieces(messages.receives, peers(communicator, messages.receives));
    } else {
      require_each_countable(communicator, messages);
    }
  }

  void start() override {
    if constexpr (packed) {
      outgoing_.collect();
    }
    if constexpr (call == Call::persistent) {
      request_.start_all();
    } else if constexpr (call == Call::nonblocking) {
      request_.all_to_all(communicator_, outgoing_.pieces(), incoming_.pieces());
    } else if constexpr (among == Among::neighbours) {
      communicator_.neighbour_all_to_all(outgoing_.pieces(), incoming_.pieces());
    } else {
      communicator_.all_to_all(outgoing_.pieces(), incoming_.pieces());
    }
  }

  void finish() override {
    if constexpr (call == Call::persistent) {
      request_.finish_all();
    } else if constexpr (call == Call::nonblocking) {
      request_.wait_all();
    }
    if constexpr (packed) {
      incoming_.deliver();
    }
  }

 private:
  static constexpr bool packed = form == Form::packed;

  static mpi::Communicator communicator_of(const mpi::Communicator& communicator,
                                           const Messages& messages) {
    if constexpr (among == Among::neighbours) {
      return communicator.graph(peers_of(messages.receives), peers_of(messages.sends));
    } else {
      return communicator.duplicate();
    }
  }

  template <class Message>
  static std::vector<int> peers(const mpi::Communicator& communicator,
                                const std::vector<Message>& messages) {
    if constexpr (among == Among::neighbours) {
      return peers_of(messages);
    } else {
      return everyone(communicator);
    }
  }

  const mpi::Communicator communicator_;
  std::conditional_t<packed, OutgoingPieces, BoxPieces> outgoing_;
  std::conditional_t<packed, IncomingPieces, BoxPieces> incoming_;
  mpi::Requests request_;  // empty where the call is blocking
};

}  // namespace halocline::protocol
