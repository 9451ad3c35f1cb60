#include "halocline/protocol/blocking.hpp"

namespace halocline::protocol {

extern const Protocol send_recv;

const Protocol send_recv{
    .name = "send_recv",
    .summary = "MPI_Send and MPI_Recv, one message after the other",
    .needs = {mpi::Need::two_sided},
    .peer_receives = Receives::anytime,
    .bind = [](const mpi::Communicator& communicator, Messages messages) -> std::unique_ptr<Transport> {
      return std::make_unique<Blocking<&mpi::Communicator::send>>(communicator, std::move(messages));
    },
};

}  // namespace halocline::protocol
