#include "halocline/protocol/fenced.hpp"

namespace halocline::protocol {

extern const Protocol get_fence;

const Protocol get_fence = define<Fenced<Gets>>({
    .name = "get_fence",
    .summary = "MPI_Get between two calls of MPI_Win_fence",
    .needs = {mpi::Need::one_sided},
    .windows = Windows::sends,
});

}  // namespace halocline::protocol
