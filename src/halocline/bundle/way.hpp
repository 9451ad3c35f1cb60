#pragma once

#include <optional>

#include "halocline/base/strided.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::bundle {

/// What travels in one message: all that goes to a rank (ESMF's PACK_PET), a box of indices
/// (PACK_XP), or a piece of memory without gaps (PACK_NOPACK).
enum class Packing { rank, box, run };

/// How ranks of one node exchange: through memory that they share, or by the protocol as all
/// others.
enum class Near { shared, messages };

/// How a redistribution travels. All ranks choose the same.
struct Way {
  const protocol::Protocol* protocol = nullptr;  // between nodes; none: isend_irecv
  Packing packing = Packing::rank;
  bool whole_bundle = true;  // all fields in one message, else one exchange after the other
  Near near = Near::shared;
  int threads = 1;  // of each rank, that copy within a node
  /// Between start() and finish() a thread drives messages to other nodes on; MPI must have been
  /// started with MPI_THREAD_MULTIPLE.
  bool progress_thread = false;
  std::optional<Stores> stores = std::nullopt;  // of copies within a node; none: by their size
};

}  // namespace halocline::bundle
