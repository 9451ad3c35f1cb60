#pragma once

#include <cstdint>

namespace halocline::profiler {

/// Writes down how much memory the process has now and had at most.
void note_memory(std::uint64_t ticks_now);

}  // namespace halocline::profiler
