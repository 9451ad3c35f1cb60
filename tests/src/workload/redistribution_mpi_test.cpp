#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "halocline/base/words.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/protocol/catalogue.hpp"
#include "halocline/route/lists.hpp"
#include "halocline/workload/catalogue.hpp"
#include "halocline/workload/redistribution/layouts.hpp"
#include "halocline/workload/redistribution/waves.hpp"

namespace halocline::workload {
namespace {

using Axes = std::map<std::string, std::string>;

const Axes by_messages{{"grid", "16x32x4"},  {"layouts", "table1"},      {"fields", "3"},
                       {"packing", "rank"},  {"bundle", "whole"},        {"memory", "user"},
                       {"near", "messages"}, {"protocol", "isend_irecv"}};

class RedistributionLoopTest : public testing::Test {
 protected:
  std::unique_ptr<measure::TimedLoop> prepare(Axes changes) const {
    changes.insert(by_messages.begin(), by_messages.end());
    return find("redistribution").prepare(AxisValues(changes), world_);
  }

  void expect_verified(const Axes& changes) const {
    const auto loop = prepare(changes);
    EXPECT_EQ(loop->verify(1), std::nullopt);
    loop->synchronise();
    loop->run(2);
    EXPECT_EQ(loop->verify(2), std::nullopt);
  }

  std::string reason(const Axes& changes) const {
    try {
      prepare(changes);
    } catch (const Skip& skip) {
      return skip.what();
    }
    return "";
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_F(RedistributionLoopTest, every_point_arrives_in_every_way) {
  const std::vector<const char*> bundles{"whole", "fields"};
  const std::vector<const char*> memories{"library", "user"};
  for (const char* layouts : {"table1", "transposed", "cyclic", "lists"}) {
    // How fields lie and travel does not depend on the layouts.
    const std::size_t ways = layouts == std::string_view{"table1"} ? 2 : 1;
    for (const char* bundle : std::span(bundles).first(ways)) {
      for (const char* memory : std::span(memories).first(ways)) {
        const Axes common{{"layouts", layouts}, {"bundle", bundle}, {"memory", memory}};
        const auto with = [&common](Axes more) {
          more.insert(common.begin(), common.end());
          return more;
        };
        for (const char* packing : {"rank", "box", "run"}) {
          expect_verified(with({{"packing", packing}}));
        }
        expect_verified(with({{"packing", "type"}, {"protocol", "isend_irecv_type"}}));
        expect_verified(with({{"protocol", "sendrecv"}}));
        expect_verified(with({{"near", "shared"}}));
      }
    }
  }
}

TEST_F(RedistributionLoopTest, moves_what_changes_rank) {
  const auto loop = prepare({{"layouts", "transposed"}});
  const auto ranks = static_cast<std::size_t>(world_.size());
  const std::size_t all = std::size_t{16} * 32 * 4 * 3 * sizeof(double);
  EXPECT_EQ(loop->moved_bytes(), all - all / ranks);
  EXPECT_EQ(loop->timed_ranks().size(), ranks);
  std::vector<int> node_of_rank;  // every rank on a node of its own
  for (int rank = 0; rank < world_.size(); ++rank) {
    node_of_rank.push_back(rank);
  }
  EXPECT_EQ(loop->off_node_bytes(node_of_rank), (all - all / ranks) / ranks);
}

TEST_F(RedistributionLoopTest, of_lists_each_point_travels_by_itself) {
  const layout::Box grid = grid_of_text("16x32x4");
  const int ranks = world_.size();
  const ListedPoints source = scattered(grid, End::source, world_.rank(), ranks);
  const ListedPoints destination = scattered(grid, End::destination, world_.rank(), ranks);
  const auto route = route::redistribution(layout::Points(source.numbers),
                                           layout::Points(destination.numbers), world_);
  EXPECT_EQ(route.sends.size(), source.size());
  const std::size_t all = std::size_t{16} * 32 * 4 * 3 * sizeof(double);
  const auto expected = static_cast<double>(all - all / static_cast<std::size_t>(ranks));
  const auto moved = static_cast<double>(prepare({{"layouts", "lists"}})->moved_bytes());
  EXPECT_NEAR(moved, expected, 0.2 * expected);
  EXPECT_NE(reason({{"layouts", "lists"}, {"grid", "2048x4096x32"}, {"fields", "256"}})
                .find("% of its memory; allowed: up to 40 %"),
            std::string::npos);
}

TEST_F(RedistributionLoopTest, what_other_axes_stand_for_is_skipped_aloud) {
  EXPECT_EQ(reason({}), "");
  EXPECT_EQ(reason({{"packing", "type"}}),
            "the protocol carries packed messages, packing=type derived datatypes; choose "
            "protocol=isend_irecv_type or another packing");
  EXPECT_EQ(reason({{"protocol", "isend_irecv_type"}}),
            "the protocol carries derived datatypes; choose packing=type");
  EXPECT_EQ(reason({{"near", "shared"}, {"packing", "run"}}),
            "all ranks share a node and send no messages, so protocols and packings do not differ; "
            "choose protocol=isend_irecv packing=rank, or near=messages");
  const std::string large = reason({{"grid", "2048x4096x32"}, {"fields", "256"}});
  EXPECT_TRUE(large.starts_with("moving 256 fields of 2048x4096x32 points takes ")) << large;
  EXPECT_TRUE(
      large.ends_with(" % of its memory; allowed: up to 40 %; choose a smaller grid, fewer "
                      "fields, memory=library near=shared or more nodes"))
      << large;
}

TEST(WavesTest, differ_from_point_to_point_and_with_field_and_seed) {
  const layout::Box grid = grid_of_text("16x32x4");
  const BlockPoints points{.x = {3, 4, 9}, .y = {0, 31}, .extent_z = 4};
  std::vector<double> values(points.size());
  write(Waves(grid, 2, 7), points, values);
  EXPECT_EQ(difference(Waves(grid, 2, 7), points, values), std::nullopt);
  EXPECT_NE(difference(Waves(grid, 3, 7), points, values), std::nullopt);
  EXPECT_NE(difference(Waves(grid, 2, 8), points, values), std::nullopt);
  auto swapped = values;
  std::swap(swapped[0], swapped[1]);
  const auto wrong = difference(Waves(grid, 2, 7), points, swapped);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_TRUE(wrong->starts_with("point (3, 0, 0) is ")) << *wrong;
  auto off_by_one_bit = values;
  off_by_one_bit[0] = std::nextafter(values[0], 100.0);
  EXPECT_EQ(difference(Waves(grid, 2, 7), points, off_by_one_bit),
            "point (3, 0, 0) is " + number_text(off_by_one_bit[0], all_digits) + ", expected " +
                number_text(values[0], all_digits));
  std::ranges::sort(values);
  EXPECT_EQ(std::ranges::adjacent_find(values), values.end());
}

}  // namespace
}  // namespace halocline::workload
