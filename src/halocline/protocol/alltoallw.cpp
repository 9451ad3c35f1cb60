#include "halocline/protocol/all_to_all.hpp"

namespace halocline::protocol {

extern const Protocol alltoallw;

const Protocol alltoallw = define<AllToAll<Among::all_ranks, Form::boxes, Call::blocking>>({
    .name = "alltoallw",
    .summary = "MPI_Alltoallw of all ranks, from field to field by derived datatypes",
    .needs = {mpi::Need::collectives, mpi::Need::derived_datatypes},
    .form = Form::boxes,
});

}  // namespace halocline::protocol
