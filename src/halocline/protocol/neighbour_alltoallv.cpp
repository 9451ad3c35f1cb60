#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol neighbour_alltoallv;

const Protocol neighbour_alltoallv =
    define<AllToAll<Among::neighbours, Form::packed, Call::blocking>>({
        .name = "neighbour_alltoallv",
        .summary = "MPI_Neighbor_alltoallv on a graph of the peers",
        .needs = {mpi::Need::neighbourhood_collectives},
    });

}  // namespace halocline::protocol
