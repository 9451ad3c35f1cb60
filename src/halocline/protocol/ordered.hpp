#pragma once

#include <variant>

#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// One blocking call of an exchange.
using Step = std::variant<Outgoing, Incoming>;

/// Orders blocking calls so that they cannot wait for each other in a circle: all ranks take their
/// pairs in the same total order (lower rank, then higher rank), and within a pair the lower rank
/// sends first.
std::vector<Step> one_at_a_time(const Messages& messages, int rank);

/// One call that sends and receives; a side that is missing has the peer no_rank.
struct Swap {
  Outgoing outgoing{.peer = mpi::no_rank, .payload = {}};
  Incoming incoming{.peer = mpi::no_rank, .payload = {}};
};

/// The same order of pairs, the k-th send to a peer together with the k-th receive from it.
std::vector<Swap> pairwise(const Messages& messages, int rank);

/// The same with all pairs of ranks taken by the distance of their bits, exclusive or: in each step
/// every rank has one peer.
std::vector<Swap> by_distance(const Messages& messages, int rank);

}  // namespace halocline::protocol
