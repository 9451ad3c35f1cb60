#pragma once

#include <variant>

#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// One blocking call of an exchange.
using Step = std::variant<Outgoing, Incoming>;

/// Orders blocking calls so that they cannot deadlock: all ranks take their pairs in the same total
/// order (lower rank, then higher rank), and within a pair the lower rank sends first.
std::vector<Step> one_at_a_time(const Messages& messages, int rank);

/// One call that sends and receives; a missing side has the peer no_rank.
struct Swap {
  Outgoing outgoing{.peer = mpi::no_rank, .payload = {}};
  Incoming incoming{.peer = mpi::no_rank, .payload = {}};
};

/// The same order of pairs; the k-th send to a peer goes with the k-th receive from it.
std::vector<Swap> pairwise(const Messages& messages, int rank);

/// The same with all pairs of ranks ordered by the XOR of their numbers: in each step
/// every rank has one peer.
std::vector<Swap> by_distance(const Messages& messages, int rank);

}  // namespace halocline::protocol
