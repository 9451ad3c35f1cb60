#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/base/memory.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/window.hpp"

namespace halocline::mpi {

/// A call that a program made: its name without MPI_, and the numbers that the function needs.
/// Ranks are the communicator's, `nobody` is MPI_PROC_NULL and `anybody` MPI_ANY_SOURCE.
///
///   Send, Isend, …               communicator peer tag bytes
///   Recv, Irecv                  communicator peer tag room sender bytes, the sender in the world
///   Send_init, Ssend_init        those of Send; they make the rank's next persistent request
///   Recv_init                    those of Recv; the same
///   Start                        the number of a persistent request
///   Startall                     the numbers of some, or of none
///   Sendrecv                     those of Send, then those of Recv without the communicator
///   Waitall                      how many of the oldest requests
///   other completions            nothing: they take the oldest request, or none
///   Iprobe                       communicator peer
///   Put, Get                     window peer bytes
///   Win_fence                    window
///   Barrier, Ibarrier            communicator
///   Bcast, Reduce, Gather, …     communicator root bytes
///   Allreduce, Allgather, …      communicator bytes; of Alltoall to each rank
///   Gatherv, Scatterv            communicator root bytes, and at the root those of each rank
///   Allgatherv, Alltoallv        communicator bytes-of-each-rank; to each, then from each
struct PlannedCall {
  std::string function;
  std::vector<std::int64_t> values;
};

inline constexpr std::int64_t nobody = -1;
inline constexpr std::int64_t anybody = -2;

/// Calls that are made so many times, one round after the other.
struct PlannedBlock {
  std::int64_t repeats = 1;
  std::vector<PlannedCall> calls;
};

/// Memory that the ranks of a communicator, by its number, put to and get from.
struct PlannedWindow {
  std::size_t communicator = 0;
  std::size_t bytes = 0;  // of every rank, at every rank
};

/// All calls that a rank makes, over communicators of these ranks of the world.
struct Plan {
  std::vector<std::vector<int>> communicators;
  std::vector<PlannedWindow> windows;
  std::vector<PlannedBlock> blocks;
};

/// The functions that can be replayed, without MPI_.
std::vector<std::string_view> replayed_functions();

/// Makes the calls of a plan, with buffers of its own.
class ReplayedCalls {
 public:
  /// Collective. Throws Error for a call that is unknown or lacks numbers.
  ReplayedCalls(const Communicator& world, const Plan& plan, Pages pages);
  ~ReplayedCalls() = default;
  ReplayedCalls(const ReplayedCalls&) = delete;
  ReplayedCalls& operator=(const ReplayedCalls&) = delete;

  /// Collective: the whole plan, or one round of each block.
  void run(bool one_round = false);

  /// Writes what this rank sends in the exchange that `seed` names, and spoils what it received.
  void write(std::uint64_t seed);
  /// What differs in what single ranks have sent in it; the first byte only.
  std::optional<std::string> difference(std::uint64_t seed) const;

  /// What a run sends to each rank of the world by itself.
  const std::vector<std::size_t>& bytes_to_rank() const { return bytes_to_rank_; }

 private:
  using Action = std::function<void()>;
  struct Block {
    std::int64_t repeats;
    std::vector<Action> actions;
  };
  struct Incoming {
    std::size_t offset;
    std::size_t bytes;
    int sender;
  };
  class Reader;
  /// What a persistent request moves each time it is started.
  struct Persistent {
    int receiver;  // in the world; -1 if it sends to nobody
    std::size_t bytes;
    std::optional<Incoming> arrival;
  };
  struct Function {
    std::string_view name;
    Action (ReplayedCalls::*make)(Reader&);
  };
  static const std::vector<Function>& functions();
  friend std::vector<std::string_view> replayed_functions();

  Action action_of(const PlannedCall& call);
  std::byte* outgoing() { return outgoing_.bytes().data(); }
  std::byte* incoming(std::size_t offset) { return incoming_.bytes().data() + offset; }
  MPI_Request* started() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  MPI_Request* oldest();
  void forget(std::size_t oldest_requests);
  void free_persistent();

  template <auto Call>
  Action send(Reader& reader);
  template <auto Call>
  Action start_send(Reader& reader);
  Action receive(Reader& reader);
  Action start_receive(Reader& reader);
  template <auto Call>
  Action prepare_send(Reader& reader);
  Action prepare_receive(Reader& reader);
  Action start(Reader& reader);
  Action start_all(Reader& reader);
  Action put(Reader& reader);
  Action get(Reader& reader);
  Action fence(Reader& reader);
  Action send_receive(Reader& reader);
  Action wait(Reader& reader);
  Action wait_all(Reader& reader);
  Action wait_any(Reader& reader);
  Action wait_some(Reader& reader);
  Action test(Reader& reader);
  Action test_all(Reader& reader);
  Action test_any(Reader& reader);
  Action test_some(Reader& reader);
  Action look(Reader& reader);
  Action barrier(Reader& reader);
  Action start_barrier(Reader& reader);
  Action broadcast(Reader& reader);
  Action start_broadcast(Reader& reader);
  Action reduce(Reader& reader);
  Action all_reduce(Reader& reader);
  Action start_all_reduce(Reader& reader);
  Action scan(Reader& reader);
  Action exclusive_scan(Reader& reader);
  Action gather(Reader& reader);
  Action scatter(Reader& reader);
  Action all_gather(Reader& reader);
  Action all_to_all(Reader& reader);
  Action start_all_to_all(Reader& reader);
  Action gather_v(Reader& reader);
  Action scatter_v(Reader& reader);
  Action all_gather_v(Reader& reader);
  Action all_to_all_v(Reader& reader);

  int world_rank_;
  std::vector<std::vector<int>> members_;
  std::vector<std::optional<Communicator>> communicators_;
  std::vector<PlannedWindow> planned_windows_;
  std::vector<std::unique_ptr<Window>> windows_;  // none where this rank is not in it
  std::size_t outgoing_bytes_ = 0;
  std::size_t incoming_bytes_ = 0;
  std::vector<std::size_t> bytes_to_rank_;
  std::int64_t repeats_ = 1;  // of the block whose actions are made
  std::vector<Incoming> arrivals_;
  std::vector<Persistent> prepared_;
  std::vector<Block> blocks_;
  Memory outgoing_;
  Memory incoming_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Request> persistent_;
  std::size_t completed_ = 0;  // of the requests, the oldest ones
  MPI_Request none_ = MPI_REQUEST_NULL;
};

}  // namespace halocline::mpi
