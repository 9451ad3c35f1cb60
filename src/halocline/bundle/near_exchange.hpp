#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "halocline/base/workers.hpp"
#include "halocline/bundle/copies.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/side.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/shared_window.hpp"

namespace halocline::bundle {

/// An exchange between the ranks of a node. Each copies what it receives: directly from a peer's
/// fields if these are in node memory, otherwise from the peer's packed copy.
class NearExchange {
 public:
  /// Collective over the communicator. The parcels name ranks of it, all on this node, each at most
  /// once.
  NearExchange(const std::vector<Parcel>& sends, const std::vector<Parcel>& receives,
               const mpi::Communicator& communicator, const NodeMemory* memory, Workers& workers,
               std::optional<Stores> stores);

  void start();
  void finish();

 private:
  /// How often a sender's parcel for one receiver was filled and taken.
  struct Counters {
    static constexpr std::size_t line_bytes = 128;  // two lines: neighbours are fetched in pairs
    alignas(line_bytes) std::atomic<std::uint64_t> filled;
    alignas(line_bytes) std::atomic<std::uint64_t> taken;
  };
  struct Sender {
    Counters* counters;
    Copies copies;
  };
  /// The place of a parcel of this rank for its receiver.
  struct Place {
    const Parcel* parcel;
    std::size_t offset_bytes;  // of its packed part
    std::size_t counters_bytes;
  };

  /// Layout of this rank's part of the shared memory: packed parcels and counters.
  struct Plan {
    std::vector<Place> places;
    std::size_t shared_bytes = 0;
  };

  NearExchange(const Plan& plan, const std::vector<Parcel>& sends,
               const std::vector<Parcel>& receives, const mpi::Communicator& communicator,
               const NodeMemory* memory, Workers& workers, std::optional<Stores> stores);
  static Plan plan(const std::vector<Parcel>& sends, const NodeMemory* memory);
  void swap_places(const std::vector<Place>& places, const std::vector<Parcel>& receives,
                   const NodeMemory* memory, std::optional<Stores> chosen_stores);
  void await(const std::atomic<std::uint64_t>& count) const;

  const mpi::Communicator& communicator_;
  const mpi::Communicator node_;
  Workers& workers_;
  const mpi::SharedWindow shared_;
  Copies packing_;
  std::vector<Counters*> receivers_;
  std::vector<Sender> senders_;
  std::uint64_t exchanges_ = 0;
};

}  // namespace halocline::bundle
