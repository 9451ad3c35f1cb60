#pragma once

#include "halocline/base/large_vector.hpp"
#include "halocline/layout/points.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::route {

/// Whether there may be points at the source that no rank of the destination asks for.
enum class Unwanted { refused, allowed };

/// Points at positions that follow one another both here and at a peer.
struct Stretch {
  int peer;
  layout::Index own;
  layout::Index peers;
  layout::Index length;
};

/// What a rank sends and receives, both in order of the peer and the position at the source.
struct Stretches {
  LargeVector<Stretch> sends;
  LargeVector<Stretch> receives;
};

/// Who has what each rank asks for. Collective.
///
/// A directory spread over the ranks: each keeps the owners of some of the numbers. Those that have
/// them and those that ask for them report to it, and it answers both. A rank's time and memory
/// grow with its own points; no rank sees the lists of all. Throws the same Error on all ranks for
/// a point that is listed twice on a side, one that no rank has, and one that no rank asks for
/// unless allowed.
Stretches look_up(const layout::Points& source, const layout::Points& destination,
                  const mpi::Communicator& communicator, Unwanted unwanted);

}  // namespace halocline::route
