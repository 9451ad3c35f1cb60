#include "halocline/protocol/passive.hpp"

namespace halocline::protocol {

extern const Protocol put_lock;

const Protocol put_lock = define<PassivePut<Notices>>({
    .name = "put_lock",
    .summary =
        "MPI_Put, MPI_Win_flush under a lock that is kept, then an empty message to the target",
    .needs = {mpi::Need::one_sided, mpi::Need::passive_target, mpi::Need::two_sided},
    .peer_receives = Receives::posted_before,
    .windows = Windows::receives,
});

}  // namespace halocline::protocol
