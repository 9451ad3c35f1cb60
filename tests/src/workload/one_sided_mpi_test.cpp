#include "halocline/workload/micro/one_sided.hpp"

#include <gtest/gtest.h>

#include "halocline/workload/catalogue.hpp"

namespace halocline::workload {
namespace {

std::unique_ptr<measure::TimedLoop> prepared(const char* name, const mpi::Communicator& world,
                                             const char* bytes = "1000") {
  const AxisValues values({{"synchronisation", "flush"}, {"bytes", bytes}});
  return find(name).prepare(values, world);
}

/// Puts are sent by the origins, which are the lower half of the ranks; gets by the targets.
TEST(OneSidedTest, origins_are_timed_and_what_goes_off_node_is_reported_by_those_who_send_it) {
  const auto world = mpi::Communicator::world();
  if (world.size() % 2 != 0) {
    return;  // every rank has a partner
  }
  const auto pairs = static_cast<std::size_t>(world.size() / 2);
  const bool lower = static_cast<std::size_t>(world.rank()) < pairs;
  std::vector<int> two_nodes(2 * pairs, 0);
  std::fill(two_nodes.begin() + static_cast<std::ptrdiff_t>(pairs), two_nodes.end(), 1);
  const std::vector<int> one_node(2 * pairs, 0);
  for (const char* name : {"put", "get"}) {
    const auto loop = prepared(name, world);
    EXPECT_EQ(loop->timed_ranks().size(), pairs);
    EXPECT_EQ(loop->timed_ranks().back(), static_cast<int>(pairs) - 1);
    EXPECT_EQ(loop->pairs().back(),
              (route::Pair{static_cast<int>(pairs) - 1, static_cast<int>(2 * pairs) - 1}));
    EXPECT_EQ(loop->moved_bytes(), 1000 * pairs);
    const bool sends = lower == (std::string_view{name} == "put");
    EXPECT_EQ(loop->off_node_bytes(two_nodes), sends ? 1000U : 0U);
    EXPECT_EQ(loop->off_node_bytes(one_node), 0U);
  }
}

TEST(OneSidedTest, the_target_of_a_flush_has_no_time_of_its_own) {
  const auto world = mpi::Communicator::world();
  if (world.size() % 2 != 0) {
    return;
  }
  const auto loop = prepared("put", world);
  loop->synchronise();
  const Seconds elapsed = loop->time(3);
  EXPECT_EQ(elapsed > Seconds{0}, world.rank() < world.size() / 2);
}

TEST(OneSidedTest, its_buffers_and_windows_must_fit_the_memory) {
  const auto world = mpi::Communicator::world();
  if (world.size() % 2 != 0) {
    return;
  }
  testing::internal::CaptureStdout();
  prepared("put", world, "16000000");
  const std::string announced = testing::internal::GetCapturedStdout();
  const std::string of_all = std::to_string(world.size() / 2 * 5 * 16'000'000);
  EXPECT_EQ(announced.find("memory bytes=" + of_all + " ") != std::string::npos, world.rank() == 0);
}

}  // namespace
}  // namespace halocline::workload
