#include "halocline/protocol/post_start.hpp"

namespace halocline::protocol {

extern const Protocol put_pscw;

const Protocol put_pscw = define<PostStart<Puts, true>>({
    .name = "put_pscw",
    .summary = "MPI_Put between MPI_Win_start and MPI_Win_complete, while the peer is between "
               "MPI_Win_post and MPI_Win_wait",
    .needs = {mpi::Need::one_sided},
    .windows = Windows::receives,
});

}  // namespace halocline::protocol
