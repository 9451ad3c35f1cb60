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

/// Throws Error where OutgoingPieces or IncomingPieces of these messages would.
void require_pieces(const std::vector<Outgoing>& messages, const std::vector<int>& peers);
void require_pieces(const std::vector<Incoming>& messages, const std::vector<int>& peers);

/// What goes to each of `peers`, for calls that serve all peers at once: one contiguous piece per
/// peer, all relative to one address. Other messages go through a buffer.
class OutgoingPieces {
 public:
  OutgoingPieces(std::vector<Outgoing> messages, const std::vector<int>& peers);

  const mpi::Pieces& pieces() const { return pieces_; }
  /// Call before sending.
  void collect();

 private:
  std::vector<Outgoing> messages_;  // in the order of the pieces
  std::vector<std::byte> buffer_;   // empty when the messages are sent in place
  mpi::Pieces pieces_;
};

/// The same for receiving from each of `peers`.
class IncomingPieces {
 public:
  IncomingPieces(std::vector<Incoming> messages, const std::vector<int>& peers);

  const mpi::Pieces& pieces() const { return pieces_; }
  /// Call after everything has arrived.
  void deliver();

 private:
  std::vector<Incoming> messages_;
  std::vector<std::byte> buffer_;
  mpi::Pieces pieces_;
};

}  // namespace halocline::protocol
