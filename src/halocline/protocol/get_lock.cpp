#include "halocline/protocol/passive.hpp"

namespace halocline::protocol {

extern const Protocol get_lock;

const Protocol get_lock = define<PassiveGet<Notices>>({
    .name = "get_lock",
    .summary = "MPI_Get, MPI_Win_flush under a lock that is kept, between two empty messages",
    .needs = {mpi::Need::one_sided, mpi::Need::passive_target, mpi::Need::two_sided},
    .windows = Windows::sends,
});

}  // namespace halocline::protocol
