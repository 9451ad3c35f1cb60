#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halocline/bundle/field.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/way.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::bundle {

/// The fields of a rank: for each block it owns, in order of place, its part of each field.
/// All blocks of all ranks hold the same fields, of the same types in the same order.
using Blocks = std::vector<Bundle>;

/// A route for the fields of a bundle, ready to run repeatedly.
///
/// Ranks of a node copy directly from each other's fields if these are in a NodeMemory, otherwise
/// through shared memory; other ranks exchange messages at the same time. Fields, memory and
/// communicator must outlive it; fields must not overlap.
class Redistribution {
 public:
  /// Collective. Throws the same Error on all ranks when a box of the route is outside its field,
  /// when ranks pass different numbers or types of fields or different ways, or when a peer expects
  /// something else than a rank sends; Skip when the protocol cannot carry the route here. `memory`
  /// may contain the source's fields; its communicator has at least these ranks.
  Redistribution(const route::Route& route, const Blocks& source, const Blocks& destination,
                 const Way& way, const mpi::Communicator& communicator,
                 const NodeMemory* memory = nullptr);
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;
  Redistribution(const Redistribution&) = delete;
  Redistribution& operator=(const Redistribution&) = delete;

  /// Begins: from now on the destination may be overwritten and the source must not change. Every
  /// rank of the communicator starts and finishes as often as the others, even without data.
  void start();
  /// Returns when the destination is complete and the source may change again.
  void finish();

  /// Whether this rank has found which stores are faster (StoresChoice): later runs are alike.
  bool settled() const;

  /// Payload that leaves this rank each time, and the part of it that leaves its node.
  std::size_t sent_bytes() const;
  std::size_t off_node_bytes(std::span<const int> node_of_rank) const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace halocline::bundle
