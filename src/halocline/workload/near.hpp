#pragma once

#include "halocline/bundle/way.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// The axis `near`: how ranks of a node exchange fields. `preset` is its default; verification uses
/// messages, in which protocols differ.
ChoiceAxis near_axis_of(std::string_view preset);

bundle::Near near_of(const AxisValues& values, const ChoiceAxis& axis);

/// The axis of the sea, air and plasma models.
const ChoiceAxis& halo_near_axis();

/// From the axes `near` and `protocol`. Throws Skip on all ranks where ranks that share memory
/// would only repeat the measurement of another protocol.
bundle::Way way_of(const AxisValues& values, const mpi::Communicator& world);

}  // namespace halocline::workload
