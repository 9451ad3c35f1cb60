#include "halocline/protocol/blocking.hpp"

namespace halocline::protocol {

extern const Protocol ssend_recv;

const Protocol ssend_recv{
    .name = "ssend_recv",
    .summary = "MPI_Ssend, which returns only once the receive has begun, and MPI_Recv",
    .needs = {mpi::Need::two_sided, mpi::Need::synchronous_mode},
    .peer_receives = Receives::anytime,
    .bind = [](const mpi::Communicator& communicator, Messages messages) -> std::unique_ptr<Transport> {
      return std::make_unique<Blocking<&mpi::Communicator::synchronous_send>>(communicator,
                                                                              std::move(messages));
    },
};

}  // namespace halocline::protocol
