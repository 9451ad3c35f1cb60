#include "halocline/measure/line_probe.hpp"

#include <gtest/gtest.h>

namespace halocline::measure {
namespace {

TEST(LineProbeTest, rank_0_knows_as_soon_as_there_are_two) {
  const auto world = mpi::Communicator::world();
  const LineProbe probe(world);
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto line = probe.measure();
    EXPECT_EQ(line.has_value(), world.rank() == 0 && world.size() > 1);
    if (line) {
      EXPECT_GT(line->count(), 0.0);
    }
  }
}

}  // namespace
}  // namespace halocline::measure
