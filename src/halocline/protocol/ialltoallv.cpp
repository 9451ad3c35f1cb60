#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol ialltoallv;

const Protocol ialltoallv = define<AllToAll<Among::all_ranks, Form::packed, Call::nonblocking>>({
    .name = "ialltoallv",
    .summary = "MPI_Ialltoallv of all ranks, then MPI_Wait",
    .needs = {mpi::Need::nonblocking_collectives},
});

}  // namespace halocline::protocol
