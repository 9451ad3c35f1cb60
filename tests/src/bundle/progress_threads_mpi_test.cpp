#include <gtest/gtest.h>

#include <chrono>

#include "halocline/base/error.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/redistribution.hpp"
#include "support/grid_fields.hpp"

namespace halocline::bundle {
namespace {

using layout::Cuts;
using Layout = layout::Blocks;

/// Past the eager limits of all libraries: most of it travels only while MPI is called.
constexpr layout::Index columns_maximum = 64;
constexpr layout::Index rows_maximum = 192;

Layout cut(int columns, int rows) {
  return Layout({Cuts::even({.lower = 0, .upper = columns_maximum}, columns),
                 Cuts::even({.lower = 0, .upper = rows_maximum}, rows)});
}

/// Keeps the core busy while the thread has its turns.
void compute() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{2};
  while (std::chrono::steady_clock::now() < end) {
  }
}

class ProgressThreadTest : public testing::TestWithParam<const protocol::Protocol*> {
 protected:
  /// A redistribution from columns to rows and one back, under way at the same time.
  void run(const Way& way) {
    const int ranks = world_.size();
    const Layout columns = cut(ranks, 1);
    const Layout rows = cut(1, ranks);
    test::GridFields from(columns, world_.rank(), {16, 8});
    test::GridFields to(rows, world_.rank(), {16, 8});
    test::GridFields other_from(rows, world_.rank(), {16, 8});
    test::GridFields other_to(columns, world_.rank(), {16, 8});
    Redistribution there(route::redistribution(columns, rows, world_), from.blocks(), to.blocks(),
                         way, world_);
    Redistribution back(route::redistribution(rows, columns, world_), other_from.blocks(),
                        other_to.blocks(), way, world_);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      from.write(seed);
      other_from.write(seed + 1);
      to.clear();
      other_to.clear();
      there.start();
      compute();
      back.start();
      compute();
      there.finish();
      back.finish();
      EXPECT_EQ(to.wrong(seed), 0U);
      EXPECT_EQ(other_to.wrong(seed + 1), 0U);
    }
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(ProgressThreadTest, every_point_arrives) {
  if (const std::string missing = protocol::missing(*GetParam()); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  try {
    run({.protocol = GetParam(), .near = Near::messages, .progress_thread = true});
  } catch (const Skip& skip) {
    GTEST_SKIP() << skip.what();
  }
}

INSTANTIATE_TEST_SUITE_P(EveryProtocol, ProgressThreadTest,
                         testing::ValuesIn(protocol::all().begin(), protocol::all().end()),
                         [](const auto& instance) { return std::string{instance.param->name}; });

using OtherWaysTest = ProgressThreadTest;

TEST_F(OtherWaysTest, field_by_field) {
  run({.whole_bundle = false, .near = Near::messages, .progress_thread = true});
}

TEST_F(OtherWaysTest, ranks_of_a_node_need_no_thread) { run({.progress_thread = true}); }

}  // namespace
}  // namespace halocline::bundle
