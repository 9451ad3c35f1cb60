#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol alltoallv;

const Protocol alltoallv = define<AllToAll<Among::all_ranks, Form::packed, Call::blocking>>({
    .name = "alltoallv",
    .summary = "MPI_Alltoallv of all ranks, empty between ranks that are not peers",
    .needs = {mpi::Need::collectives},
});

}  // namespace halocline::protocol
