#include "halocline/workload/micro/simultaneous.hpp"

namespace halocline::workload {

extern const Workload pairs;

const Workload pairs{
    .name = "pairs",
    .summary = "simultaneous pairs: ranks of the lower half with ranks of the upper; pairs=0: all",
    .ranks_minimum = 2,
    .ranks_maximum = any_number_of_ranks,
    .ranks_multiple = 2,
    .axes = {pattern_axis(), pairs_axis(), message_bytes_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      return simultaneous(values, chosen(values, route::across_halves(communicator.size())),
                          communicator);
    },
};

}  // namespace halocline::workload
