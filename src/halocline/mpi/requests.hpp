#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/datatype.hpp"

namespace halocline::mpi {

/// Operations in progress, or persistent ones that can be restarted. Move-only by its contents: the
/// holder waits.
class Requests {
 public:
  Requests() = default;
  ~Requests();
  Requests(Requests&&) noexcept = default;
  Requests& operator=(Requests&&) noexcept = delete;
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  void send(const Communicator& communicator, std::span<const std::byte> payload, int peer) {
    HALOCLINE_MPI(MPI_Isend(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload,
                            communicator.handle(), &next()));
  }
  void receive(const Communicator& communicator, std::span<std::byte> payload, int peer) {
    HALOCLINE_MPI(MPI_Irecv(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload,
                            communicator.handle(), &next()));
  }
  void send(const Communicator& communicator, const Datatype& boxes, int peer) {
    HALOCLINE_MPI(MPI_Isend(MPI_BOTTOM, 1, boxes.handle(), peer, tag::payload,
                            communicator.handle(), &next()));
  }
  void receive(const Communicator& communicator, const Datatype& boxes, int peer) {
    HALOCLINE_MPI(MPI_Irecv(MPI_BOTTOM, 1, boxes.handle(), peer, tag::payload,
                            communicator.handle(), &next()));
  }
  /// Either peer may be no_rank.
  void send_receive(const Communicator& communicator, std::span<const std::byte> outgoing,
                    int destination, std::span<std::byte> incoming, int source) {
    isendrecv(outgoing.data(), count_of(outgoing), destination, incoming.data(), count_of(incoming),
              source, tag::payload, communicator.handle(), next());
  }
  /// Empty messages that never match a payload's receive.
  void send_notice(const Communicator& communicator, int peer) {
    HALOCLINE_MPI(
        MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag::notice, communicator.handle(), &next()));
  }
  void receive_notice(const Communicator& communicator, int peer) {
    HALOCLINE_MPI(
        MPI_Irecv(nullptr, 0, MPI_BYTE, peer, tag::notice, communicator.handle(), &next()));
  }
  /// Collective, as are their starts: all ranks call them in the same order.
  void all_to_all(const Communicator& communicator, const Pieces& outgoing, const Pieces& incoming);
  /// Collective: the element-wise sum on every rank.
  void all_reduce(const Communicator& communicator, std::span<const double> own,
                  std::span<double> sum) {
    HALOCLINE_MPI(MPI_Iallreduce(own.data(), sum.data(), static_cast<int>(own.size()), MPI_DOUBLE,
                                 MPI_SUM, communicator.handle(), &next()));
  }
  /// Waits for all and forgets them.
  void wait_all() {
    if (requests_.empty()) {
      return;
    }
    wait();
    requests_.clear();
  }

  void prepare_send(const Communicator& communicator, std::span<const std::byte> payload, int peer);
  void prepare_receive(const Communicator& communicator, std::span<std::byte> payload, int peer);
  /// With this many equal partitions; each leaves once it is ready().
  void prepare_partitioned_send(const Communicator& communicator,
                                std::span<const std::byte> payload, int partitions, int peer);
  void prepare_partitioned_receive(const Communicator& communicator, std::span<std::byte> payload,
                                   int partitions, int peer);
  /// Lets a partition of the message prepared as number `message` leave.
  void ready(std::size_t message, int partition);
  /// Collective. The pieces must stay in place.
  void prepare_all_to_all(const Communicator& communicator, const Pieces& outgoing,
                          const Pieces& incoming);
  void prepare_neighbour_all_to_all(const Communicator& graph, const Pieces& outgoing,
                                    const Pieces& incoming);
  void prepare_neighbour_all_to_all(const Communicator& graph, const TypedPieces& outgoing,
                                    const TypedPieces& incoming);
  /// Starts all that were prepared.
  void start_all() {
    if (!requests_.empty()) {
      HALOCLINE_MPI(MPI_Startall(count(), requests_.data()));
    }
  }
  /// Waits for all that were started and keeps them for the next start_all().
  void finish_all() {
    if (!requests_.empty()) {
      wait();
    }
  }

 private:
  MPI_Request& next() { return requests_.emplace_back(MPI_REQUEST_NULL); }
  int count() const { return static_cast<int>(requests_.size()); }
  void wait() {
    if (requests_.size() == 1) {  // some nanoseconds cheaper than a list of one
      HALOCLINE_MPI(MPI_Wait(requests_.data(), MPI_STATUS_IGNORE));
    } else {
      HALOCLINE_MPI(MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE));
    }
  }

  std::vector<MPI_Request> requests_;
};

}  // namespace halocline::mpi
