#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halocline/mpi/check.hpp"

namespace halocline::mpi {

class BufferedSends;
struct Pieces;
class TypedPieces;

inline constexpr int no_rank = MPI_PROC_NULL;

/// The tag of each kind of message. Overlapping exchanges use separate communicators.
namespace tag {
inline constexpr int payload = 0;
inline constexpr int notice = 1;
inline constexpr int letter = 2;
}  // namespace tag

/// The payload's length as MPI counts it. Throws Error past 2 GiB.
inline int count_of(std::span<const std::byte> payload) {
  if (payload.size() > static_cast<std::size_t>(INT_MAX)) [[unlikely]] {
    throw Error("a message of " + std::to_string(payload.size()) +
                " bytes is too long; allowed: up to 2147483647; send field by field or pack by box "
                "or run, else use more ranks, or shared memory within a node");
  }
  return static_cast<int>(payload.size());
}

/// A communicator, owned. Move-only: copying one is collective and must be visible.
class Communicator {
 public:
  /// A duplicate of MPI_COMM_WORLD. Collective.
  static Communicator world();
  /// A duplicate of a program's communicator, with errors returned. Collective. Throws Error for a
  /// null communicator and for an intercommunicator.
  static Communicator duplicate_of(MPI_Comm handle);

  ~Communicator();
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// For the calls of mpi/; the communicator keeps ownership.
  MPI_Comm handle() const { return handle_; }

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Whether both have the same ranks in the same order.
  bool same_ranks(const Communicator& other) const;
  /// Whether all ranks of the other one are among its own.
  bool includes(const Communicator& other) const;

  /// The same ranks, with separate messages and collectives. Collective.
  Communicator duplicate() const;
  /// The same ranks as a graph: this one receives from `sources` and sends to `destinations`.
  /// Neighbourhood collectives take the neighbours in this order. Collective.
  Communicator graph(std::span<const int> sources, std::span<const int> destinations) const;
  /// The ranks that share memory with this one. Collective.
  Communicator node() const;
  /// The ranks of the same colour, in the order of this one. Collective; no colour is negative.
  Communicator part(int colour) const;
  /// The same, but ranks with a negative colour get no part.
  std::optional<Communicator> split(int colour) const;

  /// Collective: waits for all ranks.
  void barrier() const;
  /// Collective: the root's text on every rank.
  std::string broadcast(std::string text, int root = 0) const;
  /// Collective: rank 0's number on every rank.
  std::int64_t broadcast(std::int64_t number) const;
  /// Collective: all ranks' texts on rank 0, in order of rank; empty elsewhere. Throws Error on all
  /// ranks beyond 2 GiB in total.
  std::vector<std::string> gather(const std::string& text) const;
  /// Collective: all ranks' numbers on rank 0, row by row; all rows have the same length.
  std::vector<double> gather(std::span<const double> numbers) const;
  /// Collective: all ranks' numbers on every rank, in order of rank.
  std::vector<int> all_gather(int number) const;
  /// Collective: the element-wise maximum on every rank.
  void maximum(std::span<std::uint8_t> flags) const;
  /// Collective: the largest number on every rank.
  std::int64_t maximum(std::int64_t number) const;
  /// Collective: the sum on every rank, modulo 2^64.
  std::uint64_t sum(std::uint64_t number) const;

  /// Sends the peer an empty message that never matches a payload's receive.
  void notify(int peer) const;
  /// Whether such a message from the peer has arrived; MPI makes progress meanwhile.
  bool notified(int peer) const;
  /// Waits for such a message and receives it.
  void receive_notice(int peer) const;
  /// The same, sleeping between tests, 50 µs each: for a rank that must not disturb others.
  void sleep_until_notified(int peer, const std::function<void()>& after_each = [] {}) const;

  void send(std::span<const std::byte> payload, int peer) const {
    HALOCLINE_MPI(
        MPI_Send(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload, handle_));
  }
  void synchronous_send(std::span<const std::byte> payload, int peer) const {
    HALOCLINE_MPI(
        MPI_Ssend(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload, handle_));
  }
  /// Erroneous unless the peer has posted the receive.
  void ready_send(std::span<const std::byte> payload, int peer) const {
    HALOCLINE_MPI(
        MPI_Rsend(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload, handle_));
  }
  /// Needs room reserved from buffered_sends().
  void buffered_send(std::span<const std::byte> payload, int peer) const {
    HALOCLINE_MPI(
        MPI_Bsend(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload, handle_));
  }
  void receive(std::span<std::byte> payload, int peer) const {
    HALOCLINE_MPI(MPI_Recv(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload, handle_,
                           MPI_STATUS_IGNORE));
  }
  /// Either peer may be no_rank.
  void send_receive(std::span<const std::byte> outgoing, int destination,
                    std::span<std::byte> incoming, int source) const {
    HALOCLINE_MPI(MPI_Sendrecv(outgoing.data(), count_of(outgoing), MPI_BYTE, destination,
                               tag::payload, incoming.data(), count_of(incoming), MPI_BYTE, source,
                               tag::payload, handle_, MPI_STATUS_IGNORE));
  }

  /// Collective: every rank sends to and receives from each rank, in order of rank.
  void all_to_all(const Pieces& outgoing, const Pieces& incoming) const;
  void all_to_all(const TypedPieces& outgoing, const TypedPieces& incoming) const;
  /// Collective: the same along the edges of a graph(), in the order of its neighbours.
  void neighbour_all_to_all(const Pieces& outgoing, const Pieces& incoming) const;
  void neighbour_all_to_all(const TypedPieces& outgoing, const TypedPieces& incoming) const;

  /// Lets MPI make progress; for loops that wait without calling it.
  void progress() const {
    int arrived = 0;
    HALOCLINE_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, handle_, &arrived, MPI_STATUS_IGNORE));
  }

  /// The buffer of this process's buffered sends, shared by all communicators that come from one
  /// world().
  BufferedSends& buffered_sends() const { return *buffered_sends_; }

 private:
  Communicator(MPI_Comm owned, std::shared_ptr<BufferedSends> buffered_sends);
  void release() noexcept;

  MPI_Comm handle_;
  std::shared_ptr<BufferedSends> buffered_sends_;
  int rank_ = 0;
  int size_ = 0;
};

/// The one buffer that MPI lets a process attach for buffered sends, attached while room is
/// reserved. For one thread at a time.
class BufferedSends {
 public:
  /// That of this process.
  static std::shared_ptr<BufferedSends> of_process();

  BufferedSends() = default;
  ~BufferedSends();
  BufferedSends(const BufferedSends&) = delete;
  BufferedSends& operator=(const BufferedSends&) = delete;

  /// Throws Error where reserve() would. Local; waits for nothing.
  void require_room(std::span<const std::size_t> message_bytes);
  /// Makes room for these messages in addition to all reserved ones; waits until earlier ones have
  /// left. Returns the argument for begin() and release(). Throws Error beyond 2 GiB in total,
  /// where MPI already has a buffer that the program attached, and between begin() and end().
  std::size_t reserve(std::span<const std::size_t> message_bytes);
  void release(std::size_t reserved_bytes);

  /// Call it each time before sending the messages: a sender may run ahead of its receivers. Where
  /// the buffer might be full, it waits until all messages have left; throws Error where others are
  /// under way, whose receivers may be waiting for this rank.
  void begin(std::size_t reserved_bytes) {
    // All that have room may be under way at once: then nothing waits in between.
    const std::size_t needed = under_way_ == 0 ? reserved_bytes_ : reserved_bytes;
    if (taken_bytes_ + needed > buffer_.size()) {
      empty();
    }
    taken_bytes_ += reserved_bytes;
    ++under_way_;
  }
  /// The messages that others sent meanwhile have arrived.
  void end() { --under_way_; }

 private:
  std::size_t asked_bytes(std::span<const std::size_t> message_bytes) const;
  void attach(std::size_t bytes);
  void detach() noexcept;
  void empty();

  std::vector<std::byte> buffer_;
  std::size_t reserved_bytes_ = 0;
  std::size_t taken_bytes_ = 0;  // since the buffer was empty
  int reservations_ = 0;         // of no bytes too
  int under_way_ = 0;
};

}  // namespace halocline::mpi
