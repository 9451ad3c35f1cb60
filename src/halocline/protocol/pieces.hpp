#pragma once

#include <cstddef>
#include <vector>

#include "halocline/mpi/pieces.hpp"
#include "halocline/protocol/peers.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// Every rank of the communicator.
std::vector<int> everyone(const mpi::Communicator& communicator);

/// Where the peer is among `peers`.
std::size_t position(int peer, const std::vector<int>& peers);

/// What goes to each of `peers`, as calls for all peers at once take it: one stretch of bytes a
/// peer, all counted from one address. Other messages go through a buffer.
class OutgoingPieces {
 public:
  OutgoingPieces(std::vector<Outgoing> messages, const std::vector<int>& peers);

  const mpi::Pieces& pieces() const { return pieces_; }
  /// Before the call that sends.
  void collect();

 private:
  std::vector<Outgoing> messages_;  // in the order of the pieces
  std::vector<std::byte> buffer_;   // empty when the messages are sent in place
  mpi::Pieces pieces_;
};

/// The same for what comes from each of `peers`.
class IncomingPieces {
 public:
  IncomingPieces(std::vector<Incoming> messages, const std::vector<int>& peers);

  const mpi::Pieces& pieces() const { return pieces_; }
  /// After all has arrived.
  void deliver();

 private:
  std::vector<Incoming> messages_;
  std::vector<std::byte> buffer_;
  mpi::Pieces pieces_;
};

}  // namespace halocline::protocol
