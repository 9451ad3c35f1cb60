#include "halocline/protocol/post_start.hpp"

namespace halocline::protocol {

extern const Protocol get_pscw;

const Protocol get_pscw = define<PostStart<Gets, false>>({
    .name = "get_pscw",
    .summary = "MPI_Get between MPI_Win_start and MPI_Win_complete, while the peer is between "
               "MPI_Win_post and MPI_Win_wait",
    .needs = {mpi::Need::one_sided},
    .windows = Windows::sends,
});

}  // namespace halocline::protocol
