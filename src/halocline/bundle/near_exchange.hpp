#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "halocline/base/workers.hpp"
#include "halocline/bundle/chunks.hpp"
#include "halocline/bundle/copies.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/side.hpp"
#include "halocline/bundle/stores_choice.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/shared_window.hpp"

namespace halocline::bundle {

/// An exchange between the ranks of a node. Each copies what it receives: directly from a peer's
/// fields if these are in node memory, otherwise from the peer's packed copy. Between ranks that
/// send to each other long parcels are packed in chunks that take turns in a buffer, so that the
/// caches keep them until they are read.
class NearExchange {
 public:
  /// Collective over the communicator. The parcels name ranks of it, all on this node, each at most
  /// once.
  NearExchange(const std::vector<Parcel>& sends, const std::vector<Parcel>& receives,
               const mpi::Communicator& communicator, const NodeMemory* memory, Workers& workers,
               Stores packing);

  void start();
  /// Meanwhile calls other_work() again and again until it returns that nothing is left. The stores
  /// of the final copies may change from one exchange to the next.
  void finish(StoresChoice& stores, const std::function<bool()>& other_work);
  /// Of this rank's final copies.
  std::size_t streamable_bytes() const;

 private:
  /// Chunks of a sender's parcel for one receiver that were filled and taken, in all exchanges.
  struct Counters {
    static constexpr std::size_t line_bytes = 128;  // two lines: neighbours are fetched in pairs
    alignas(line_bytes) std::atomic<std::uint64_t> filled;
    alignas(line_bytes) std::atomic<std::uint64_t> taken;
  };
  struct Receiver {
    Counters* counters;
    std::vector<Copies> packing;  // of each chunk; the first is packed with all others' first
    std::uint64_t filled;
    std::uint64_t filled_at_end;  // of this exchange
  };
  struct Sender {
    Counters* counters;
    std::vector<Copies> copies;  // of each chunk
    std::uint64_t taken;
    std::uint64_t taken_at_end;
  };
  /// The place of a parcel of this rank for its receiver.
  struct Place {
    Chunks chunks;
    int peer;
    std::size_t offset_bytes;  // of its packed part
    std::size_t slot_bytes;
    std::size_t counters_bytes;

    std::size_t offset_of(const ChunkPiece& piece) const;
  };

  /// Layout of this rank's part of the shared memory: packed parcels and counters.
  struct Plan {
    std::vector<Place> places;
    std::size_t shared_bytes = 0;
  };

  NearExchange(const Plan& plan, const std::vector<Parcel>& receives,
               const mpi::Communicator& communicator, const NodeMemory* memory, Workers& workers,
               Stores packing);
  static Plan plan(const std::vector<Parcel>& sends, const std::vector<Parcel>& receives,
                   const NodeMemory* memory, int workers);
  void swap_places(const std::vector<Place>& places, const std::vector<Parcel>& receives,
                   const NodeMemory* memory);
  void pack_more(Receiver& receiver);
  void take_more(Sender& sender, StoresChoice& stores);
  bool advance(StoresChoice& stores);

  const mpi::Communicator& communicator_;
  const mpi::Communicator node_;
  Workers& workers_;
  std::unique_ptr<mpi::SharedWindow> shared_;
  const Stores packing_;
  Copies first_packing_;
  std::vector<std::span<std::byte>> claimed_;  // for writing, before the first packing
  std::vector<Receiver> receivers_;
  std::vector<Sender> senders_;
};

}  // namespace halocline::bundle
