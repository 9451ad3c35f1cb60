#include "halocline/protocol/swaps.hpp"

namespace halocline::protocol {

extern const Protocol swap_ready;

const Protocol swap_ready = define<Swaps<SwapSend::ready_after_handshake>>({
    .name = "swap_ready",
    .summary = "as swap_handshake, with MPI_Rsend",
    .needs = {mpi::Need::two_sided, mpi::Need::ready_mode},
});

}  // namespace halocline::protocol
