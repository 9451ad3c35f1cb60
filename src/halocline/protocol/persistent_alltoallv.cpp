#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol persistent_alltoallv;

const Protocol persistent_alltoallv =
    define<AllToAll<Among::all_ranks, Form::packed, Call::persistent>>({
        .name = "persistent_alltoallv",
        .summary = "MPI_Alltoallv_init of all ranks once, then MPI_Start and MPI_Wait",
        .needs = {mpi::Need::persistent_collectives},
    });

}  // namespace halocline::protocol
