#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace halocline::test {

/// How many random problems are drawn: as many as a test can afford, a part of them where the
/// environment sets HALOCLINE_FEWER_PAIRS, or as many as it asks for with HALOCLINE_DRAWS.
inline std::uint64_t drawn_at_random(std::uint64_t affordable) {
  if (const char* const asked = std::getenv("HALOCLINE_DRAWS"); asked != nullptr) {
    return std::strtoull(asked, nullptr, 10);
  }
  const char* const fewer = std::getenv("HALOCLINE_FEWER_PAIRS");
  return fewer == nullptr
             ? affordable
             : std::max<std::uint64_t>(1, affordable / std::strtoul(fewer, nullptr, 10));
}

}  // namespace halocline::test
