#pragma once

#include <cstdint>

namespace halocline::profiler {

/// Records the current and maximum memory of the process.
void note_memory(std::uint64_t ticks_now);

}  // namespace halocline::profiler
