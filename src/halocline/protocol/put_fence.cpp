#include "halocline/protocol/fenced.hpp"

namespace halocline::protocol {

extern const Protocol put_fence;

const Protocol put_fence = define<Fenced<Puts>>({
    .name = "put_fence",
    .summary = "MPI_Put between two calls of MPI_Win_fence",
    .needs = {mpi::Need::one_sided},
    .windows = Windows::receives,
});

}  // namespace halocline::protocol
