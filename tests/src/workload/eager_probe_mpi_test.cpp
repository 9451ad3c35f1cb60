#include <gtest/gtest.h>

#include "halocline/workload/catalogue.hpp"

namespace halocline::workload {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

/// What rank 0 waits for a message before it receives it; 0 elsewhere.
Seconds waiting_time(const mpi::Communicator& world, std::int64_t size_bytes,
                     std::chrono::microseconds patience) {
  const AxisValues values(
      {{"bytes", std::to_string(size_bytes)}, {"patience", std::to_string(patience.count())}});
  const auto loop = find("eager_probe").prepare(values, world);
  loop->synchronise();
  const Seconds waited = loop->time(1);
  EXPECT_EQ(loop->verify(3), std::nullopt);
  return world.rank() == 0 ? waited : Seconds{0};
}

TEST(EagerProbeTest, a_byte_is_sent_before_its_receive) {
  const auto world = mpi::Communicator::world();
  if (world.size() == 2) {
    EXPECT_LT(waiting_time(world, 1, 1s), 1s);
  }
}

TEST(EagerProbeTest, a_long_message_waits_for_its_receive_as_long_as_patience_lasts) {
  const auto world = mpi::Communicator::world();
  if (world.size() == 2) {
    const Seconds waited = waiting_time(world, 1 << 24, 20ms);
    EXPECT_GE(waited, world.rank() == 0 ? Seconds{20ms} : Seconds{0});
  }
}

}  // namespace
}  // namespace halocline::workload
