#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "halocline/mpi/check.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::mpi {

inline constexpr int any_rank = MPI_ANY_SOURCE;

/// MPI's calls as an application makes them: with its own tags, and with requests completed in many
/// ways. Here every completion takes the oldest request, or none if all are complete.
class ProgramCalls {
 public:
  using Outgoing = std::span<const std::byte>;
  using Incoming = std::span<std::byte>;

  ProgramCalls() = default;
  ~ProgramCalls() = default;
  ProgramCalls(const ProgramCalls&) = delete;
  ProgramCalls& operator=(const ProgramCalls&) = delete;

  // Peers may be no_rank, sources also any_rank.
  static void send(const Communicator& communicator, Outgoing payload, int peer, int tag);
  static void synchronous_send(const Communicator& communicator, Outgoing payload, int peer,
                               int tag);
  static void ready_send(const Communicator& communicator, Outgoing payload, int peer, int tag);
  static void receive(const Communicator& communicator, Incoming payload, int peer, int tag);
  static void send_receive(const Communicator& communicator, Outgoing outgoing, int destination,
                           int outgoing_tag, Incoming incoming, int source, int incoming_tag);
  /// Whether a message from the peer, with any tag, has arrived.
  static bool probe(const Communicator& communicator, int peer);

  void start_send(const Communicator& communicator, Outgoing payload, int peer, int tag);
  void start_synchronous_send(const Communicator& communicator, Outgoing payload, int peer,
                              int tag);
  void start_ready_send(const Communicator& communicator, Outgoing payload, int peer, int tag);
  void start_receive(const Communicator& communicator, Incoming payload, int peer, int tag);

  /// Persistent requests are numbered in the order in which they are prepared.
  void prepare_send(const Communicator& communicator, Outgoing payload, int peer, int tag);
  void prepare_synchronous_send(const Communicator& communicator, Outgoing payload, int peer,
                                int tag);
  void prepare_receive(const Communicator& communicator, Incoming payload, int peer, int tag);
  void start(std::size_t prepared);
  void start_all(std::span<const std::size_t> prepared);
  void free_prepared();

  /// Collective. Sums doubles where the bytes are a whole number of them, as in most programs;
  /// otherwise bitwise or.
  static void reduce(const Communicator& communicator, Outgoing own, Incoming sum, int root);
  static void all_reduce(const Communicator& communicator, Outgoing own, Incoming sum);
  static void scan(const Communicator& communicator, Outgoing own, Incoming sum);
  static void exclusive_scan(const Communicator& communicator, Outgoing own, Incoming sum);
  void start_all_reduce(const Communicator& communicator, Outgoing own, Incoming sum);
  void start_barrier(const Communicator& communicator);
  void start_broadcast(const Communicator& communicator, Incoming payload, int root);
  /// Sends and receives equal shares of the bytes to and from each rank.
  void start_all_to_all(const Communicator& communicator, Outgoing outgoing, Incoming incoming);

  void wait();
  /// Waits for this many of the oldest requests, or for all if fewer.
  void wait_all(std::size_t requests);
  void wait_any();
  void wait_some();
  void test();
  void test_all();
  void test_any();
  void test_some();

 private:
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  MPI_Request* next_prepared() { return &prepared_.emplace_back(MPI_REQUEST_NULL); }
  MPI_Request* oldest();
  void forget(std::size_t oldest_requests);

  std::vector<MPI_Request> requests_;
  std::vector<MPI_Request> prepared_;
  std::size_t completed_ = 0;  // of the requests, oldest first
  MPI_Request none_ = MPI_REQUEST_NULL;
};

}  // namespace halocline::mpi
