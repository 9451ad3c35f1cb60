#pragma once

#include <string>
#include <vector>

#include "halocline/mpi/pieces.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// A datatype for each of `peers`, over the boxes of all messages to it, or from it.
mpi::TypedPieces typed_pieces(const std::vector<Outgoing>& messages, const std::vector<int>& peers);
mpi::TypedPieces typed_pieces(const std::vector<Incoming>& messages, const std::vector<int>& peers);

/// Why these messages cannot travel by neighbourhood alltoallw: as `unusable` of a protocol.
std::string one_way_lost(const mpi::Communicator& communicator, const Messages& messages);

}  // namespace halocline::protocol
