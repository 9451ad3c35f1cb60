#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol persistent_neighbour_alltoallv;

const Protocol persistent_neighbour_alltoallv =
    define<AllToAll<Among::neighbours, Form::packed, Call::persistent>>({
        .name = "persistent_neighbour_alltoallv",
        .summary =
            "MPI_Neighbor_alltoallv_init on a graph of the peers once, then MPI_Start and MPI_Wait",
        .needs = {mpi::Need::neighbourhood_collectives, mpi::Need::persistent_collectives},
    });

}  // namespace halocline::protocol
