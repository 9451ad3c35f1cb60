#include "halocline/workload/micro/one_sided.hpp"
#include "halocline/workload/micro/payload.hpp"

namespace halocline::workload {

extern const Workload put;

const Workload put{
    .name = "put",
    .summary =
        "unidirectional: one rank of each pair puts into the other's window, completion included",
    .ranks_minimum = 2,
    .ranks_maximum = any_number_of_ranks,
    .ranks_multiple = 2,
    .over_protocols = false,
    .axes = {synchronisation_axis(), message_bytes_axis()},
    .prepare =
        [](const AxisValues& values, const mpi::Communicator& world) {
          return one_sided(Direction::put, values, world);
        },
};

}  // namespace halocline::workload
