#include "halocline/workload/micro/two_ranks.hpp"

namespace halocline::workload {

extern const Workload pingping;

const Workload pingping{
    .name = "pingping",
    .summary = "bidirectional: two ranks swap messages at the same time",
    .ranks_minimum = 2,
    .ranks_maximum = 2,
    .axes = {message_bytes_axis()},
    .prepare = [](const AxisValues& values,
                  const mpi::Communicator& communicator) -> std::unique_ptr<measure::TimedLoop> {
      return two_ranks(Pattern::pingping, transfer_of(values), {.first = 0, .second = 1},
                       communicator);
    },
};

}  // namespace halocline::workload
