#pragma once

#include "halocline/bundle/way.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// The axis `near`: how ranks of a node exchange fields. `preset` is taken where nothing is said;
/// messages are verified, which are what protocols differ in.
ChoiceAxis near_axis_of(std::string_view preset);

bundle::Near near_of(const AxisValues& values, const ChoiceAxis& axis);

}  // namespace halocline::workload
