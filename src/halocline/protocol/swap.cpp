#include "halocline/protocol/swaps.hpp"

namespace halocline::protocol {

extern const Protocol swap;

const Protocol swap = define<Swaps<SwapSend::at_once>>({
    .name = "swap",
    .summary = "MPI_Irecv and MPI_Isend with one peer after the other, at most 4 of each under way",
    .needs = {mpi::Need::two_sided},
});

}  // namespace halocline::protocol
