#pragma once

#include <string>

#include "halocline/measure/timed_loop.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::test {

/// A fact of a loop; -1 if it has none of this name.
inline double fact(const measure::TimedLoop& loop, const std::string& name) {
  for (const measure::Fact& each : loop.facts()) {
    if (each.name == name) {
      return each.value;
    }
  }
  return -1;
}

/// Why prepare() finds that a case cannot be measured here; empty if it can.
template <class Prepare>
std::string skip_reason(Prepare prepare) {
  try {
    prepare();
    return "";
  } catch (const Skip& skip) {
    return skip.what();
  }
}

}  // namespace halocline::test
