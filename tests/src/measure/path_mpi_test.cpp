#include "halocline/measure/path.hpp"

#include <gtest/gtest.h>

namespace halocline::measure {
namespace {

TEST(PathTest, payload_that_crossed_no_interface_is_on_a_wrong_path) {
  EXPECT_EQ(wrong_path({.nodes = 2, .payload_bytes = 1000, .wire_bytes = 1020}), "");
  EXPECT_EQ(wrong_path({.nodes = 2, .payload_bytes = 0, .wire_bytes = 0}), "");
  EXPECT_NE(wrong_path({.nodes = 2, .payload_bytes = 1000, .wire_bytes = 12}).find("12 of 1000"),
            std::string::npos);
}

TEST(PathTest, ranks_of_one_node_are_on_node_0_and_their_payload_is_summed) {
  const auto world = mpi::Communicator::world();
  PathMeter meter(world);
  EXPECT_EQ(meter.node_of_rank(), std::vector<int>(static_cast<std::size_t>(world.size()), 0));
  meter.begin();
  const Path path = meter.end(10);
  EXPECT_EQ(path.nodes, 1);
  EXPECT_EQ(path.payload_bytes, world.rank() == 0 ? 10 * world.size() : 0);
}

}  // namespace
}  // namespace halocline::measure
