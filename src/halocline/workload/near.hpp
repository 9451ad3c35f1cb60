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

/// Whether all ranks share memory, so that they copy and send each other nothing. Collective.
bool sends_nothing(bundle::Near near, const mpi::Communicator& world);

/// For ranks that send each other nothing: throws Skip unless the protocol is the one that stands
/// for all.
void require_first_protocol(const AxisValues& values);

/// From the axes `near` and `protocol`. Throws Skip on all ranks where ranks that share memory
/// would only repeat the measurement of another protocol.
bundle::Way way_of(const AxisValues& values, const mpi::Communicator& world);

}  // namespace halocline::workload
