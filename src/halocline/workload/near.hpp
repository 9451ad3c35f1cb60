#pragma once

#include "halocline/bundle/way.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// The axis `near`: how ranks of a node exchange fields. `preset` is taken where nothing is said;
/// messages are verified, which are what protocols differ in.
ChoiceAxis near_axis_of(std::string_view preset);

bundle::Near near_of(const AxisValues& values, const ChoiceAxis& axis);

/// The axis of the models of the sea, the air and plasma.
const ChoiceAxis& halo_near_axis();

/// From the axes `near` and `protocol`. Throws Skip, as all ranks do, where ranks that share memory
/// would only measure again what another protocol stands for.
bundle::Way way_of(const AxisValues& values, const mpi::Communicator& world);

}  // namespace halocline::workload
