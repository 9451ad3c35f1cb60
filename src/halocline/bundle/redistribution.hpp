#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halocline/bundle/field.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/protocol/protocol.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// The fields of a rank: for each block that it owns, in order of place, its part of each field.
/// All blocks of all ranks hold the same fields, of the same types in the same order.
using Blocks = std::vector<Bundle>;

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
};

/// A route for the fields of a bundle, ready to run again and again.
///
/// Ranks of a node copy straight out of each other's fields where these lie in a NodeMemory, and
/// through memory that they share where not; other ranks exchange messages at the same time. Fields
/// and communicator must outlive it; fields must not overlap.
class Redistribution {
 public:
  /// Collective. Throws the same Error on all ranks when a box of the route is not inside its
  /// field, when ranks bring different numbers or types of fields or different ways, or what a rank
  /// sends is not what its peer expects; Skip when the protocol cannot carry the route here.
  /// `memory` is where the source's fields may lie.
  Redistribution(const route::Route& route, const Blocks& source, const Blocks& destination,
                 const Way& way, const mpi::Communicator& communicator,
                 const NodeMemory* memory = nullptr);
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;
  Redistribution(const Redistribution&) = delete;
  Redistribution& operator=(const Redistribution&) = delete;

  /// Begins: the destination may be overwritten from now on and the source must not change. Every
  /// rank of the communicator starts and finishes as often as the others, also without data.
  void start();
  /// Returns when the destination is complete and the source may change again.
  void finish();

  /// Payload that leaves this rank each time, and the part of it that leaves its node.
  std::size_t sent_bytes() const;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace halocline::bundle
