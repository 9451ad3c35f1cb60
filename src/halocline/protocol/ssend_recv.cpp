#include "halocline/protocol/blocking.hpp"

namespace halocline::protocol {

extern const Protocol ssend_recv;

const Protocol ssend_recv = define<Blocking<&mpi::Communicator::synchronous_send>>({
    .name = "ssend_recv",
    .summary = "MPI_Ssend, which returns only once the receive has started, and MPI_Recv",
    .needs = {mpi::Need::two_sided, mpi::Need::synchronous_mode},
});

}  // namespace halocline::protocol
