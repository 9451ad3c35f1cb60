#pragma once

#include "halocline/workload/micro/two_ranks.hpp"

namespace halocline::workload {

/// How many of the pairs communicate; 0 is all of them.
const IntegerAxis& pairs_axis();

/// The first pairs, as many as the axis says. Throws Skip if there are fewer.
std::vector<route::Pair> chosen(const AxisValues& values, std::vector<route::Pair> pairs);

/// Simultaneous pairs, each timed, each with its own communicator. Ranks without a pair rest.
/// Throws Skip when the protocol cannot carry one of them. Collective.
std::unique_ptr<measure::TimedLoop> simultaneous(const AxisValues& values,
                                                 const std::vector<route::Pair>& pairs,
                                                 const mpi::Communicator& world);

}  // namespace halocline::workload
