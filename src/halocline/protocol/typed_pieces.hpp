#pragma once

#include <string>
#include <vector>

#include "halocline/mpi/pieces.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// The boxes of all messages to or from each of `peers`, as one datatype per peer. Nothing is
/// packed: the call reads and writes the fields.
class BoxPieces {
 public:
  BoxPieces(const std::vector<Outgoing>& messages, const std::vector<int>& peers);
  BoxPieces(const std::vector<Incoming>& messages, const std::vector<int>& peers);

  const mpi::TypedPieces& pieces() const { return pieces_; }

 private:
  mpi::TypedPieces pieces_;
};

/// Why these messages cannot travel by neighbourhood alltoallw: a protocol's `unusable`.
std::string uneven_lost(const mpi::Communicator& communicator, const Messages& messages);

}  // namespace halocline::protocol
