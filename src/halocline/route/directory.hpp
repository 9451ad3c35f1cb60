#pragma once

#include "halocline/base/large_vector.hpp"
#include "halocline/layout/points.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::route {

/// Whether the source may have points that no rank of the destination asks for.
enum class Unwanted { refused, allowed };

/// Points at consecutive positions both here and at a peer.
struct Stretch {
  int peer;
  layout::Index own;
  layout::Index peers;
  layout::Index length;
};

/// What a rank sends and receives, both ordered by peer, then by position at the source.
struct Stretches {
  LargeVector<Stretch> sends;
  LargeVector<Stretch> receives;
};

/// Finds who has what each rank asks for. Collective.
///
/// A directory spread over the ranks: each keeps the owners of some of the numbers. Owners and
/// requesters of points report to it, and it answers both. A rank's time and memory grow with its
/// own points; no rank sees all lists. Throws the same Error on all ranks for a point that is
/// listed twice on a side, that no rank has, or that no rank asks for unless this is allowed.
Stretches look_up(const layout::Points& source, const layout::Points& destination,
                  const mpi::Communicator& communicator, Unwanted unwanted);

}  // namespace halocline::route
