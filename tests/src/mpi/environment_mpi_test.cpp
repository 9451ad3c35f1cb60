#include "halocline/mpi/environment.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "halocline/mpi/capability.hpp"
#include "halocline/mpi/in_turn.hpp"
#include "halocline/mpi/nodes.hpp"
#include "support/problem.hpp"
#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

using EnvironmentTest = test::Ring;

TEST_F(EnvironmentTest, turns_are_taken_one_after_the_other) {
  std::vector<int> seen;
  const Communicator order = world_.duplicate();
  in_turn(world_, rank_, world_.size(), [&] {
    if (rank_ > 0) {
      EXPECT_TRUE(order.notified(rank_ - 1)) << "rank " << rank_ << " came first";
      order.receive_notice(rank_ - 1);
    }
    if (rank_ + 1 < world_.size()) {
      order.notify(rank_ + 1);
    }
    seen.push_back(rank_);
  });
  EXPECT_EQ(seen, std::vector{rank_});
}

TEST_F(EnvironmentTest, ranks_of_one_host_are_on_node_0) {
  EXPECT_EQ(node_of_rank(world_), std::vector<int>(static_cast<std::size_t>(world_.size()), 0));
  // By their lowest ranks: a node of its own for each part of a communicator.
  EXPECT_EQ(node_of_rank(world_.part(rank_)), std::vector{0});
}

TEST_F(EnvironmentTest, needs_have_names_of_their_own) {
  std::set<std::string_view> names;
  for (int need = 0; need <= static_cast<int>(Need::shared_windows); ++need) {
    names.insert(name_of(static_cast<Need>(need)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Need::shared_windows) + 1);
  EXPECT_NE(test::problem([] { name_of(static_cast<Need>(999)); }).find("give it one in"),
            std::string::npos);
}

TEST_F(EnvironmentTest, every_library_has_what_came_with_mpi_3) {
  for (const Need need : {Need::two_sided, Need::synchronous_mode, Need::ready_mode,
                          Need::buffered_mode, Need::persistent_requests, Need::derived_datatypes,
                          Need::collectives, Need::nonblocking_collectives, Need::one_sided,
                          Need::passive_target, Need::shared_windows}) {
    EXPECT_EQ(missing(need), "") << name_of(need);
  }
}

TEST_F(EnvironmentTest, partitioned_messages_are_refused_where_open_mpi_5_hangs) {
  const bool hangs = library().version.starts_with("Open MPI v5");
  EXPECT_EQ(partitioned_unusable(1).empty(), !hangs || world_.size() <= 2);
  EXPECT_EQ(partitioned_unusable(2).empty(), !hangs);
}

TEST_F(EnvironmentTest, the_library_says_what_it_is) {
  const Library bound = library();
  EXPECT_FALSE(bound.version.empty());
  EXPECT_EQ(bound.version.find('\n'), std::string::npos);
  EXPECT_GE(std::stod(bound.standard), 3.1);
  EXPECT_NE(bound.path.find(".so"), std::string::npos) << bound.path;
  EXPECT_TRUE(running());
  EXPECT_FALSE(processor_name().empty());
  const double before = wall_time_s();
  world_.barrier();
  EXPECT_GE(wall_time_s(), before);
}

}  // namespace
}  // namespace halocline::mpi
