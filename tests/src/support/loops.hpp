#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "halocline/measure/phases.hpp"
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

/// The phases of a loop make up its time, and all of them take some but `unused`. Collective.
inline void expect_phases_take_the_time(measure::TimedLoop& loop, const std::string& unused = "") {
  measure::PhaseTimer* const phases = loop.phases();
  ASSERT_NE(phases, nullptr);
  double largest_share = 0;  // other work may interrupt a rank between two phases
  for (int attempt = 0; attempt < 5; ++attempt) {
    phases->reset();
    const Seconds elapsed = loop.time(2);
    Seconds all{0};
    for (std::size_t phase = 0; phase < phases->phases().size(); ++phase) {
      const std::string& name = phases->phases()[phase].name;
      EXPECT_EQ(phases->elapsed()[phase].count() > 0, name != unused) << name;
      all += phases->elapsed()[phase];
    }
    EXPECT_LE(all, elapsed);
    largest_share = std::max(largest_share, all / elapsed);
  }
  EXPECT_GT(largest_share, 0.9);
}

}  // namespace halocline::test
