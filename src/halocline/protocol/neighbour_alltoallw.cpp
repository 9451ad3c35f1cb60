#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol neighbour_alltoallw;

const Protocol neighbour_alltoallw =
    define<AllToAll<Among::neighbours, Form::boxes, Call::blocking>>({
        .name = "neighbour_alltoallw",
        .summary = "MPI_Neighbor_alltoallw on a graph of the peers, by derived datatypes",
        .needs = {mpi::Need::neighbourhood_collectives, mpi::Need::derived_datatypes},
        .form = Form::boxes,
        .unusable = uneven_lost,
    });

}  // namespace halocline::protocol
