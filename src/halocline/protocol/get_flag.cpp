#include "halocline/protocol/passive.hpp"

namespace halocline::protocol {

extern const Protocol get_flag;

const Protocol get_flag = define<PassiveGet<Flags>>({
    .name = "get_flag",
    .summary = "MPI_Get between two flags on which the ranks wait",
    .needs = {mpi::Need::one_sided, mpi::Need::passive_target, mpi::Need::polled_memory},
    .windows = Windows::sends,
    .unusable = flags_unseen,
});

}  // namespace halocline::protocol
