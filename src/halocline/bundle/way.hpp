#pragma once

#include <optional>

#include "halocline/base/strided.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::bundle {

/// What travels in one message: all that goes to a rank (ESMF's PACK_PET), a box of indices
/// (PACK_XP), or a piece of memory without gaps (PACK_NOPACK).
enum class Packing { rank, box, run };

/// How ranks of one node exchange: through shared memory, or by the protocol like all others.
enum class Near { shared, messages };

/// How a redistribution travels. All ranks choose the same.
struct Way {
  const protocol::Protocol* protocol = nullptr;  // between nodes; none: isend_irecv
  Packing packing = Packing::rank;
  bool whole_bundle = true;  // all fields in one message, else one exchange after the other
  Near near = Near::shared;
  int threads = 1;  // per rank, for copies within a node
  /// A thread progresses messages to other nodes between start() and finish(). Requires
  /// MPI_THREAD_MULTIPLE.
  bool progress_thread = false;
  /// For copies within a node; none: packing cached, others as StoresChoice finds.
  std::optional<Stores> stores = std::nullopt;
};

}  // namespace halocline::bundle
