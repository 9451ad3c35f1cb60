#include "halocline/mpi/requests.hpp"

#include "halocline/mpi/compat/partitioned.hpp"

namespace halocline::mpi {

Requests::~Requests() {
  for (MPI_Request& request : requests_) {
    if (request != MPI_REQUEST_NULL) {
      MPI_Request_free(&request);
    }
  }
}

void Requests::prepare_send(const Communicator& communicator, std::span<const std::byte> payload,
                            int peer) {
  HALOCLINE_MPI(MPI_Send_init(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload,
                              communicator.handle(), &next()));
}

void Requests::prepare_receive(const Communicator& communicator, std::span<std::byte> payload,
                               int peer) {
  HALOCLINE_MPI(MPI_Recv_init(payload.data(), count_of(payload), MPI_BYTE, peer, tag::payload,
                              communicator.handle(), &next()));
}

void Requests::prepare_partitioned_send(const Communicator& communicator,
                                        std::span<const std::byte> payload, int partitions,
                                        int peer) {
  HALOCLINE_MPI(psend_init(payload.data(), partitions, count_of(payload) / partitions, MPI_BYTE,
                           peer, tag::payload, communicator.handle(), MPI_INFO_NULL, &next()));
}

void Requests::prepare_partitioned_receive(const Communicator& communicator,
                                           std::span<std::byte> payload, int partitions, int peer) {
  HALOCLINE_MPI(precv_init(payload.data(), partitions, count_of(payload) / partitions, MPI_BYTE,
                           peer, tag::payload, communicator.handle(), MPI_INFO_NULL, &next()));
}

void Requests::ready(std::size_t message, int partition) {
  HALOCLINE_MPI(pready(partition, requests_[message]));
}

}  // namespace halocline::mpi
