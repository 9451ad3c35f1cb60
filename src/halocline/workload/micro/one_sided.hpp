#pragma once

#include "halocline/workload/workload.hpp"

namespace halocline::workload {

enum class Direction { put, get };

/// How the origin learns that its put or get is complete.
const ChoiceAxis& synchronisation_axis();

/// Each rank of the lower half puts to, or gets from, its counterpart in the upper half, all at
/// once; each origin is timed, completion included. Collective.
std::unique_ptr<measure::TimedLoop> one_sided(Direction direction, const AxisValues& values,
                                              const mpi::Communicator& world);

}  // namespace halocline::workload
