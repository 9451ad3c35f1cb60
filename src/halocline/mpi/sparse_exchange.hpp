#pragma once

#include <cstdint>
#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

/// Numbers to or from a peer.
struct Letter {
  int peer;
  LargeVector<std::int64_t> numbers;

  friend bool operator==(const Letter&, const Letter&) = default;
};

/// Delivers letters to ranks that do not know their senders; returns those received, in order of
/// peer. Collective, also for ranks without letters; at most one letter to a peer. Time and memory
/// grow with a rank's own letters and the logarithm of the ranks: nonblocking consensus, Hoefler,
/// Siebert & Lumsdaine 2010.
std::vector<Letter> sparse_exchange(const Communicator& communicator,
                                    const std::vector<Letter>& outgoing);

}  // namespace halocline::mpi
