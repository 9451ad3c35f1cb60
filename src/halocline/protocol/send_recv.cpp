#include "halocline/protocol/blocking.hpp"

namespace halocline::protocol {

extern const Protocol send_recv;

const Protocol send_recv = define<Blocking<&mpi::Communicator::send>>({
    .name = "send_recv",
    .summary = "MPI_Send and MPI_Recv, one message after the other",
    .needs = {mpi::Need::two_sided},
});

}  // namespace halocline::protocol
