#include "halocline/protocol/typed_pieces.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "halocline/mpi/compat/neighbours.hpp"
#include "halocline/protocol/peers.hpp"
#include "halocline/protocol/pieces.hpp"

namespace halocline::protocol {
namespace {

template <class Message>
mpi::TypedPieces typed(const std::vector<Message>& messages, const std::vector<int>& peers) {
  std::vector<std::vector<Strided>> boxes(peers.size());
  for (const Message& message : messages) {
    auto& of_peer = boxes[position(message.peer, peers)];
    of_peer.insert(of_peer.end(), message.boxes.begin(), message.boxes.end());
  }
  mpi::TypedPieces pieces;
  for (const auto& of_peer : boxes) {
    if (std::ranges::all_of(of_peer, &Strided::empty)) {
      pieces.add_nothing();
    } else {
      pieces.add(mpi::Datatype(of_peer));
    }
  }
  return pieces;
}

}  // namespace

BoxPieces::BoxPieces(const std::vector<Outgoing>& messages, const std::vector<int>& peers)
    : pieces_(typed(messages, peers)) {}

BoxPieces::BoxPieces(const std::vector<Incoming>& messages, const std::vector<int>& peers)
    : pieces_(typed(messages, peers)) {}

std::string uneven_lost(const mpi::Communicator& communicator, const Messages& messages) {
  std::string reason;
  if constexpr (!mpi::neighbours_may_be_uneven) {
    const bool even = peers_of(messages.sends).size() == peers_of(messages.receives).size();
    std::array<std::uint8_t, 1> any{static_cast<std::uint8_t>(even ? 0 : 1)};
    communicator.maximum(any);
    if (any[0] != 0) {
      reason =
          "with this library neighbourhood alltoallw loses messages of a rank that sends to more "
          "or fewer others than it receives from";
    }
  }
  return reason;
}

}  // namespace halocline::protocol
