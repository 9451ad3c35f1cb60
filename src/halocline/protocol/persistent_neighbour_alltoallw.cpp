#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol persistent_neighbour_alltoallw;

const Protocol persistent_neighbour_alltoallw =
    define<AllToAll<Among::neighbours, Form::boxes, Call::persistent>>({
        .name = "persistent_neighbour_alltoallw",
        .summary =
            "MPI_Neighbor_alltoallw_init on a graph of the peers once, by derived datatypes, then "
            "MPI_Start and MPI_Wait",
        .needs = {mpi::Need::neighbourhood_collectives, mpi::Need::derived_datatypes,
                  mpi::Need::persistent_collectives},
        .form = Form::boxes,
        .unusable = uneven_lost,
    });

}  // namespace halocline::protocol
