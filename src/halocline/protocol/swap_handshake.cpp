#include "halocline/protocol/swaps.hpp"

namespace halocline::protocol {

extern const Protocol swap_handshake;

const Protocol swap_handshake = define<Swaps<SwapSend::after_handshake>>({
    .name = "swap_handshake",
    .summary = "as swap, MPI_Isend once the peer has said that its receive is posted",
    .needs = {mpi::Need::two_sided},
});

}  // namespace halocline::protocol
