#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>

#include "halocline/base/units.hpp"
#include "halocline/measure/sampler.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/collective/loop.hpp"

namespace halocline::workload {
namespace {

bool is_collective(const Workload* workload) {
  return std::ranges::any_of(workload->axes, [](const Axis& axis) {
    const auto* choice = std::get_if<ChoiceAxis>(&axis);
    return choice != nullptr && choice->name == structure_axis().name;
  });
}

std::vector<std::string> collectives() {
  std::vector<std::string> names;
  for (const Workload* workload : all() | std::views::filter(is_collective)) {
    names.emplace_back(workload->name);
  }
  return names;
}

constexpr std::array flat_only{"alltoallv"};  // with `why_not`

struct Asked {
  std::string name;
  std::string bytes;
  std::string timing = "back_to_back";
  std::string structure = "flat";
};

std::unique_ptr<measure::TimedLoop> prepare(const Asked& asked, const mpi::Communicator& world,
                                            const Setting& setting = {}) {
  const AxisValues values(
      {{"bytes", asked.bytes}, {"timing", asked.timing}, {"structure", asked.structure}}, setting);
  return find(asked.name).prepare(values, world);
}

/// Nodes as ranks may be dealt to them: all on one, in turn, unevenly.
std::vector<Setting> placements(int ranks) {
  std::vector<Setting> settings(3);
  for (int rank = 0; rank < ranks; ++rank) {
    settings[0].node_of_rank.push_back(0);
    settings[1].node_of_rank.push_back(rank % 2);
    settings[2].node_of_rank.push_back(rank == 0 ? 0 : 1);
  }
  return settings;
}

void expect_verified(const Asked& asked, const mpi::Communicator& world, const Setting& setting) {
  const auto loop = prepare(asked, world, setting);
  EXPECT_EQ(loop->verify(1), std::nullopt) << asked.structure << " " << asked.bytes;
  loop->synchronise();
  loop->run(3);
  EXPECT_EQ(loop->verify(2), std::nullopt) << asked.structure << " " << asked.bytes;
}

class CollectiveTest : public testing::TestWithParam<std::string> {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(CollectiveTest, verifies_flat_and_on_two_levels_wherever_the_ranks_are) {
  const std::string& name = GetParam();
  for (const char* bytes : {"0", "1000", "65536"}) {
    expect_verified({.name = name, .bytes = bytes}, world_, {});
    if (std::ranges::find(flat_only, name) != flat_only.end()) {
      EXPECT_THROW(prepare({name, bytes, "imb", "two_level"}, world_), Skip);
      continue;
    }
    for (const Setting& setting : placements(world_.size())) {
      expect_verified({.name = name, .bytes = bytes, .structure = "two_level"}, world_, setting);
    }
  }
}

TEST(CollectivesTest, alltoallv_verifies_where_not_every_message_has_a_byte) {
  const auto world = mpi::Communicator::world();
  expect_verified({.name = "alltoallv", .bytes = "1"}, world, {});
}

TEST_P(CollectiveTest, is_sampled_in_every_way_of_timing) {
  for (const std::string& timing : timing_axis().choices | std::views::transform([](auto choice) {
                                     return std::string{choice};
                                   })) {
    const auto loop = prepare({GetParam(), "64", timing}, world_);
    const measure::Samples samples = measure::sample(
        *loop, {.half_width_relative = 0.5, .longest = Seconds{0.005}}, world_, [] {});
    EXPECT_EQ(loop->verify(3), std::nullopt) << timing;
    if (world_.rank() == 0) {
      ASSERT_EQ(samples.elapsed_s.size(), static_cast<std::size_t>(world_.size()));
      EXPECT_GT(samples.elapsed_s[0].size(), 0U) << timing;
      EXPECT_EQ(samples.late_s.empty(), timing != "synchronised");
      EXPECT_TRUE(timing != "synchronised" || samples.repeats == 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Names, CollectiveTest, testing::ValuesIn(collectives()),
                         [](const auto& instance) { return instance.param; });

TEST(CollectivesTest, what_must_leave_a_node_is_counted_once_for_each_other_node) {
  const auto world = mpi::Communicator::world();
  const auto ranks = static_cast<std::size_t>(world.size());
  if (ranks != 4) {
    return;
  }
  Setting pairs;
  pairs.node_of_rank = {0, 0, 1, 1};
  const std::map<std::string, std::size_t> expected{
      {"allreduce", 2 * 8}, {"reduce", 8},           {"bcast", 8},     {"barrier", 0},
      {"allgather", 4 * 8}, {"alltoall", 4 * 2 * 8}, {"alltoallv", 78}};
  for (const std::string& name : collectives()) {
    ASSERT_TRUE(expected.contains(name)) << name << ": say what must leave a node";
    const std::size_t bytes = expected.at(name);
    const auto loop = prepare({name, "8"}, world, pairs);
    const auto own = static_cast<double>(loop->off_node_bytes(pairs.node_of_rank));
    double sum = 0;
    for (const double each : world.gather(std::array{own})) {
      sum += each;
    }
    EXPECT_TRUE(world.rank() != 0 || sum == static_cast<double>(bytes)) << name << " " << sum;
  }
}

TEST(CollectivesTest, large_buffers_must_fit_the_memory_and_small_ones_take_no_check) {
  const auto world = mpi::Communicator::world();
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::size_t bytes = 65 * mebibyte / (2 * ranks * ranks);
  const auto announced = [&](const Asked& asked) {
    testing::internal::CaptureStdout();
    prepare(asked, world);
    return testing::internal::GetCapturedStdout();
  };
  const std::string of_all = std::to_string(2 * bytes * ranks * ranks);
  EXPECT_EQ(announced({"alltoall", std::to_string(bytes)}).find("memory bytes=" + of_all + " ") !=
                std::string::npos,
            world.rank() == 0);
  EXPECT_EQ(announced({"alltoall", "4096"}), "");
  EXPECT_EQ(announced({"allreduce", "65536"}), "");
}

TEST(CollectivesTest, what_cannot_be_measured_is_skipped_with_the_reason) {
  const auto world = mpi::Communicator::world();
  EXPECT_THROW(prepare({"allreduce", "12"}, world), Skip);
  EXPECT_THROW(prepare({"reduce", "7"}, world), Skip);
  if (world.size() > 1) {
    EXPECT_THROW(prepare({"allgather", "1073741824"}, world), Skip);
    EXPECT_THROW(prepare({"alltoall", "1073741824"}, world), Skip);
  }
}

}  // namespace
}  // namespace halocline::workload
