#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace halocline::test {

/// How many of so many random problems are drawn: all, or, where the environment sets
/// HALOCLINE_FEWER_PAIRS, that part of them, one at least.
inline std::uint64_t drawn_at_random(std::uint64_t affordable) {
  const char* const fewer = std::getenv("HALOCLINE_FEWER_PAIRS");
  return fewer == nullptr
             ? affordable
             : std::max<std::uint64_t>(1, affordable / std::strtoul(fewer, nullptr, 10));
}

}  // namespace halocline::test
