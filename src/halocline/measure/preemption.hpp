#pragma once

#include <cstdint>

namespace halocline::measure {

/// How often the kernel has taken the processor from this thread so far. A batch during which this
/// grows has measured the scheduler. Always 0 in simulation.
std::int64_t involuntary_switches();

}  // namespace halocline::measure
