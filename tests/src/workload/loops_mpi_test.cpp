#include <gtest/gtest.h>

#include "halocline/protocol/catalogue.hpp"
#include "halocline/workload/catalogue.hpp"

namespace halocline::workload {
namespace {

TEST(LoopsTest, every_workload_verifies_over_every_protocol) {
  const auto world = mpi::Communicator::world();
  for (const Workload* workload : all()) {
    if (world.size() < workload->ranks_minimum || world.size() > workload->ranks_maximum) {
      continue;
    }
    for (const protocol::Protocol* protocol : protocol::all()) {
      if (!protocol::missing(*protocol).empty()) {
        continue;
      }
      for (const char* bytes : {"0", "1", "4096", "1000003"}) {
        const AxisValues values({{"protocol", std::string{protocol->name}}, {"bytes", bytes}});
        const auto loop = workload->prepare(values, world);
        EXPECT_EQ(loop->verify(1), std::nullopt) << workload->name << " over " << protocol->name;
        loop->synchronise();
        loop->run(5);
        EXPECT_EQ(loop->verify(2), std::nullopt) << workload->name << " over " << protocol->name;
      }
    }
  }
}

}  // namespace
}  // namespace halocline::workload
