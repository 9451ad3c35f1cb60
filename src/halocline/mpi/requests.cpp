#include "halocline/mpi/requests.hpp"

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
  HALOCLINE_MPI(MPI_Send_init(payload.data(), count_of(payload), MPI_BYTE, peer, Communicator::tag,
                              communicator.handle_, &next()));
}

void Requests::prepare_receive(const Communicator& communicator, std::span<std::byte> payload,
                               int peer) {
  HALOCLINE_MPI(MPI_Recv_init(payload.data(), count_of(payload), MPI_BYTE, peer, Communicator::tag,
                              communicator.handle_, &next()));
}

}  // namespace halocline::mpi
