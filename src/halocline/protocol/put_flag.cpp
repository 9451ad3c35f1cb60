#include "halocline/protocol/passive.hpp"

namespace halocline::protocol {

extern const Protocol put_flag;

const Protocol put_flag = define<PassivePut<Flags>>({
    .name = "put_flag",
    .summary = "MPI_Put, then a flag behind it on which the target waits; as in LAPI and SHMEM",
    .needs = {mpi::Need::one_sided, mpi::Need::passive_target, mpi::Need::polled_memory},
    .peer_receives = Receives::posted_before,
    .windows = Windows::receives,
    .unusable = flags_unseen,
});

}  // namespace halocline::protocol
