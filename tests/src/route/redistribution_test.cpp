#include "halocline/route/redistribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "support/layout_pairs.hpp"
#include "support/problem.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Box;
using layout::Cuts;
using layout::Index;
using layout::Interval;
using layout::max_dimensions;
using test::LayoutPair;
using test::problem;
using test::Side;

Interval from_0(Index upper) { return {.lower = 0, .upper = upper}; }

std::vector<Route> routes(const LayoutPair& pair) {
  const Blocks source = pair.source_layout();
  const Blocks destination = pair.destination_layout();
  std::vector<Route> all;
  for (int rank = 0; rank < pair.ranks(); ++rank) {
    all.push_back(pair.whole() ? redistribution(source, destination, rank)
                               : redistribution(source, destination, rank, pair.region()));
  }
  return all;
}

/// Where every index of a block is in the memory of its layout's blocks.
Index offset_in(const Box& block, const std::array<Index, max_dimensions>& at) {
  Index offset = 0;
  for (std::size_t dimension = max_dimensions; dimension-- > 0;) {
    offset = offset * block.extent(dimension) + at[dimension] - block.lower[dimension];
  }
  return offset;
}

void each_index(const Box& box, const auto& visit) {
  std::array<Index, max_dimensions> at{};
  for (at[3] = box.lower[3]; at[3] < box.upper[3]; ++at[3]) {
    for (at[2] = box.lower[2]; at[2] < box.upper[2]; ++at[2]) {
      for (at[1] = box.lower[1]; at[1] < box.upper[1]; ++at[1]) {
        for (at[0] = box.lower[0]; at[0] < box.upper[0]; ++at[0]) {
          visit(at);
        }
      }
    }
  }
}

constexpr Index nothing = -1;

/// The memory of all blocks of a layout: at the indices of the region the number of the index.
std::vector<std::vector<Index>> filled(const Blocks& layout, const Side& side,
                                       const std::vector<Index>& extents) {
  std::array<std::vector<test::Home>, max_dimensions> homes;
  std::array<Index, max_dimensions> before{};
  Box moved;
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    homes[dimension] = {{.place = 0, .local = 0}};
    if (dimension < extents.size()) {
      homes[dimension] = test::homes(side.dimensions[dimension], extents[dimension]);
      before[dimension] = side.dimensions[dimension].before;
      moved.upper[dimension] = extents[dimension];
    }
  }
  std::vector<std::vector<Index>> memory;
  for (int place = 0; place < layout.places(); ++place) {
    memory.emplace_back(static_cast<std::size_t>(layout.local(place).volume()), nothing);
  }
  Index number = 0;
  each_index(moved, [&](const auto& at) {
    layout::RankGrid::Place place{};
    std::array<Index, max_dimensions> local{};
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      const auto& home =
          homes[dimension][static_cast<std::size_t>(before[dimension] + at[dimension])];
      place[dimension] = home.place;
      local[dimension] = home.local;
    }
    const int block = layout.parts().rank(place);
    memory[static_cast<std::size_t>(block)]
          [static_cast<std::size_t>(offset_in(layout.local(block), local))] = number++;
  });
  return memory;
}

/// Carries everything as the routes say; what is wrong with them, or nothing.
std::string carried(const LayoutPair& pair, std::vector<std::vector<Index>>& destination_memory) {
  const Blocks source = pair.source_layout();
  const Blocks destination = pair.destination_layout();
  const auto source_memory = filled(source, pair.source, pair.extents);
  const std::vector<Route> all = routes(pair);
  std::map<std::pair<int, int>, std::vector<Index>> on_the_way;
  std::map<std::pair<int, int>, std::vector<Index>> sent_volumes;
  for (int rank = 0; rank < pair.ranks(); ++rank) {
    for (const Leg& leg : all[static_cast<std::size_t>(rank)].sends) {
      const auto part = source.owned(rank).at(static_cast<std::size_t>(leg.part));
      if (leg.box.empty() || !part.local.contains(leg.box)) {
        return "rank " + std::to_string(rank) + " sends a box that is empty or not its own";
      }
      sent_volumes[{rank, leg.peer}].push_back(leg.box.volume());
      each_index(leg.box, [&](const auto& at) {
        on_the_way[{rank, leg.peer}].push_back(source_memory[static_cast<std::size_t>(
            part.place)][static_cast<std::size_t>(offset_in(part.local, at))]);
      });
    }
  }
  std::map<std::pair<int, int>, std::size_t> taken;
  std::map<std::pair<int, int>, std::vector<Index>> received_volumes;
  for (int rank = 0; rank < pair.ranks(); ++rank) {
    for (const Leg& leg : all[static_cast<std::size_t>(rank)].receives) {
      const auto part = destination.owned(rank).at(static_cast<std::size_t>(leg.part));
      if (leg.box.empty() || !part.local.contains(leg.box)) {
        return "rank " + std::to_string(rank) + " receives a box that is empty or not its own";
      }
      received_volumes[{leg.peer, rank}].push_back(leg.box.volume());
      const auto& message = on_the_way[{leg.peer, rank}];
      std::size_t& next = taken[{leg.peer, rank}];
      each_index(leg.box, [&](const auto& at) {
        destination_memory[static_cast<std::size_t>(part.place)]
                          [static_cast<std::size_t>(offset_in(part.local, at))] =
                              next < message.size() ? message[next] : nothing;
        ++next;
      });
    }
  }
  return sent_volumes == received_volumes ? "" : "the boxes of the two ends differ";
}

/// What is wrong with the routes of the pair, all points compared with their owners by definition.
std::string problem_of(const LayoutPair& pair) {
  const Blocks destination = pair.destination_layout();
  std::vector<std::vector<Index>> memory;
  for (int place = 0; place < destination.places(); ++place) {
    memory.emplace_back(static_cast<std::size_t>(destination.local(place).volume()), nothing);
  }
  const std::string problem = carried(pair, memory);
  if (!problem.empty()) {
    return problem;
  }
  return memory == filled(destination, pair.destination, pair.extents)
             ? ""
             : "an index did not arrive where it belongs";
}

TEST(RedistributionRouteTest, ten_thousand_random_pairs_carry_every_point_to_its_owner) {
  EXPECT_EQ(test::first_problem(1, 10'000, 64, problem_of), "");
}

TEST(RedistributionRouteTest, a_failing_pair_is_made_simple) {
  const auto fails = [](const LayoutPair& pair) {
    return std::ranges::any_of(pair.source.dimensions, [](const test::CutDimension& dimension) {
      return dimension.cut == test::Cut::cyclic && dimension.parts >= 2;
    });
  };
  const std::string problem = test::first_problem(
      1, 100, 64, [&](const LayoutPair& pair) { return fails(pair) ? "cyclic" : ""; });
  EXPECT_NE(problem.find("cyclic\nsimplest: seed "), std::string::npos) << problem;
  EXPECT_NE(problem.find("source 0+0+1+0 cyclic 1/2, from rank 0, destination 0+0+1+0 even/1, from "
                         "rank 0 (lower+before+moved+after), 1 ranks"),
            std::string::npos)
      << problem;
}

/// A row of Table 1, Li 2007.
struct Row {
  int source_x;
  int source_y;
  int destination_x;
  int destination_y;
  std::int64_t moved_bytes;
};

class Table1Test : public testing::TestWithParam<Row> {};

TEST_P(Table1Test, moves_the_bytes_that_the_paper_tells) {
  const Row& row = GetParam();
  const Blocks source({Cuts::even(from_0(512), row.source_x),
                       Cuts::even(from_0(1024), row.source_y), Cuts::even(from_0(16), 1)});
  const Blocks destination({Cuts::even(from_0(512), row.destination_x),
                            Cuts::even(from_0(1024), row.destination_y),
                            Cuts::even(from_0(16), 1)});
  constexpr std::int64_t fields = 8;
  constexpr std::int64_t real_bytes = 8;
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
  for (int rank = 0; rank < source.ranks(); ++rank) {
    const Route route = redistribution(source, destination, rank);
    const auto bytes = [rank](std::int64_t sum, const Leg& leg) {
      return leg.peer == rank ? sum : sum + leg.box.volume() * fields * real_bytes;
    };
    sent_bytes = std::accumulate(route.sends.begin(), route.sends.end(), sent_bytes, bytes);
    received_bytes =
        std::accumulate(route.receives.begin(), route.receives.end(), received_bytes, bytes);
  }
  EXPECT_EQ(sent_bytes, row.moved_bytes);
  EXPECT_EQ(received_bytes, row.moved_bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Li2007, Table1Test,
    testing::Values(Row{4, 1, 1, 4, 402653184}, Row{2, 4, 4, 2, 402653184},
                    Row{2, 8, 8, 2, 469762048}, Row{4, 8, 16, 2, 503316480},
                    Row{4, 16, 16, 4, 503316480}, Row{8, 16, 32, 4, 520093696},
                    Row{16, 16, 32, 8, 520093696}, Row{32, 16, 16, 32, 520093696},
                    Row{32, 32, 64, 16, 528482304}, Row{32, 64, 64, 32, 528482304}),
    [](const auto& instance) {
      return std::to_string(instance.param.source_x * instance.param.source_y) + "_ranks";
    });

TEST(RedistributionRouteTest, legs_are_in_order_of_peer_and_tell_the_block) {
  const Blocks source({Cuts::even(from_0(8), 4)}, std::vector{1, 0, 1, 0});
  const Blocks destination({Cuts::even(from_0(8), 1)}, 2);
  EXPECT_EQ(redistribution(source, destination, 0).sends,
            (std::vector<Leg>{{.peer = 2, .box = Box{}.with(0, 2, 4), .part = 0},
                              {.peer = 2, .box = Box{}.with(0, 6, 8), .part = 1}}));
  EXPECT_EQ(redistribution(source, destination, 2).receives,
            (std::vector<Leg>{{.peer = 0, .box = Box{}.with(0, 2, 4)},
                              {.peer = 0, .box = Box{}.with(0, 6, 8)},
                              {.peer = 1, .box = Box{}.with(0, 0, 2)},
                              {.peer = 1, .box = Box{}.with(0, 4, 6)}}));
  EXPECT_EQ(redistribution(source, destination, 3), Route{});
}

TEST(RedistributionRouteTest, grids_and_regions_that_do_not_fit_are_reported) {
  const Blocks eight({Cuts::even(from_0(8), 2)});
  const Blocks nine({Cuts::even(from_0(9), 2)});
  EXPECT_EQ(problem([&] { redistribution(eight, nine, 0); }),
            "the source's grid is 0:8 x 0:1 x 0:1 x 0:1, the destination's 0:9 x 0:1 x 0:1 x 0:1; "
            "both must have the same indices; give a region to move a part of a grid");
  const auto part = [](Index lower, Index upper) { return Box{}.with(0, lower, upper); };
  EXPECT_EQ(problem([&] {
              redistribution(eight, nine, 0, {.source = part(0, 3), .destination = part(0, 4)});
            }),
            "a region of 0:3 x 0:1 x 0:1 x 0:1 at the source and 0:4 x 0:1 x 0:1 x 0:1 at the "
            "destination differs in dimension 1; give both the same extents");
  EXPECT_EQ(problem([&] {
              redistribution(eight, nine, 0, {.source = part(6, 9), .destination = part(6, 9)});
            }),
            "the region 6:9 x 0:1 x 0:1 x 0:1 is not inside the source's grid 0:8 x 0:1 x 0:1 x "
            "0:1; make it smaller");
  EXPECT_EQ(problem([&] {
              redistribution(nine, eight, 0, {.source = part(6, 9), .destination = part(6, 9)});
            }),
            "the region 6:9 x 0:1 x 0:1 x 0:1 is not inside the destination's grid 0:8 x 0:1 x 0:1 "
            "x 0:1; make it smaller");
  EXPECT_EQ(problem([&] {
              redistribution(eight, eight, 0, {.source = part(5, 3), .destination = part(5, 3)});
            }),
            "a region of 5:3 x 0:1 x 0:1 x 0:1 ends before it begins in dimension 1; give the "
            "lower bound first");
  const Box zero_filled{.lower = {0, 0, 0, 0}, .upper = {8, 0, 0, 0}};
  EXPECT_EQ(problem([&] {
              redistribution(eight, eight, 0, {.source = zero_filled, .destination = zero_filled});
            }),
            "a region of 0:8 x 0:0 x 0:0 x 0:0 is empty along dimension 2, which neither grid "
            "uses; give the bounds 0 and 1 there");
  EXPECT_EQ(redistribution(eight, nine, 0, {.source = part(3, 3), .destination = part(5, 5)}),
            Route{});
}

}  // namespace
}  // namespace halocline::route
