#include "halocline/route/block_halo.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/draws.hpp"
#include "support/problem.hpp"
#include "support/random_halos.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Box;
using layout::Cuts;
using layout::Index;
using layout::Interval;
using layout::max_dimensions;
using test::problem;
using test::RandomHalo;

constexpr Index untouched = -1;

Interval up_to(Index upper) { return {.lower = 0, .upper = upper}; }

/// The k-th cell of a box, in the order in which a leg moves them.
RandomHalo::Cell cell_of(const Leg& leg, Index number) {
  RandomHalo::Cell cell{};
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    const Index extent = leg.box.extent(dimension);
    const Index step = number % extent;
    cell[dimension] = (leg.reversed >> dimension & 1U) != 0 ? leg.box.upper[dimension] - 1 - step
                                                            : leg.box.lower[dimension] + step;
    number /= extent;
  }
  return cell;
}

void each_halo_cell(const Box& box, const auto& visit) {
  const Leg all{.peer = 0, .box = box};
  for (Index number = 0; number < box.volume(); ++number) {
    visit(cell_of(all, number));
  }
}

/// The numbers that the routes of all ranks bring to each place's cells.
class Carried {
 public:
  Carried(const RandomHalo& random, int ranks) : layout_(random.layout()) {
    for (int rank = 0; rank < ranks; ++rank) {
      routes_.push_back(halo(layout_, random.halo, rank));
    }
    for (int rank = 0; rank < ranks; ++rank) {
      for (const Leg& leg : route(rank).sends) {
        const int place = place_of(rank, leg);
        sent_[{rank, leg.peer}].push_back(leg.box.volume());
        each_of(leg, [&](const auto& cell) {
          require(random.owns(place, cell), "a cell is sent that the block does not own");
          on_the_way_[{rank, leg.peer}].push_back(random.number(place, cell).value_or(untouched));
        });
      }
    }
    std::map<std::pair<int, int>, std::size_t> taken;
    std::map<std::pair<int, int>, std::vector<Index>> received;
    for (int rank = 0; rank < ranks; ++rank) {
      for (const Leg& leg : route(rank).receives) {
        require(leg.reversed == 0, "a receive is reversed");
        received[{leg.peer, rank}].push_back(leg.box.volume());
        const auto& message = on_the_way_[{leg.peer, rank}];
        std::size_t& next = taken[{leg.peer, rank}];
        each_of(leg, [&](const auto& cell) {
          auto& arrived = arrived_[place_of(rank, leg)];
          require(next < message.size(), "less is sent than is received");
          require(arrived.emplace(cell, next < message.size() ? message[next] : untouched).second,
                  "a ghost cell is filled twice");
          ++next;
        });
      }
    }
    require(sent_ == received, "the boxes of the two ends differ");
  }

  const std::string& problem() const { return problem_; }

  Index at(int place, const RandomHalo::Cell& cell) {
    const auto& arrived = arrived_[place];
    const auto found = arrived.find(cell);
    return found == arrived.end() ? untouched : found->second;
  }

 private:
  const Route& route(int rank) const { return routes_[static_cast<std::size_t>(rank)]; }
  int place_of(int rank, const Leg& leg) const {
    return layout_.places_of(rank).at(static_cast<std::size_t>(leg.part));
  }
  static void each_of(const Leg& leg, const auto& visit) {
    for (Index number = 0; number < leg.box.volume(); ++number) {
      visit(cell_of(leg, number));
    }
  }
  void require(bool holds, const char* what) {
    if (!holds && problem_.empty()) {
      problem_ = what;
    }
  }

  Blocks layout_;
  std::vector<Route> routes_;
  std::map<std::pair<int, int>, std::vector<Index>> on_the_way_;
  std::map<std::pair<int, int>, std::vector<Index>> sent_;
  std::map<int, std::map<RandomHalo::Cell, Index>> arrived_;
  std::string problem_;
};

std::string problem_of_halo(const RandomHalo& random, int ranks) {
  Carried carried(random, ranks);
  std::string wrong = carried.problem();
  for (int place = 0; place < static_cast<int>(random.owners.size()); ++place) {
    each_halo_cell(random.with_ghosts(place), [&](const auto& cell) {
      const bool ghost =
          random.owners[static_cast<std::size_t>(place)] >= 0 && !random.owns(place, cell);
      const Index expected = ghost ? random.number(place, cell).value_or(untouched) : untouched;
      if (wrong.empty() && carried.at(place, cell) != expected) {
        wrong = "place " + std::to_string(place) + " gets cell " +
                std::to_string(carried.at(place, cell)) + " where " + std::to_string(expected) +
                " belongs";
      }
    });
  }
  return wrong;
}

TEST(BlockHaloTest, ten_thousand_random_halos_fill_every_ghost_cell_and_no_other) {
  const std::uint64_t halos = test::drawn_at_random(10'000);
  constexpr int ranks = 5;
  for (std::uint64_t seed = 1; seed <= halos; ++seed) {
    const RandomHalo random(seed, ranks);
    ASSERT_EQ(problem_of_halo(random, ranks), "") << random.text();
  }
}

TEST(BlockHaloTest, the_draw_has_all_that_a_halo_can_have) {
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomHalo random(seed, 5);
    drawn["folds"] += random.halo.fold ? 1 : 0;
    drawn["without corners"] += random.halo.corners ? 0 : 1;
    drawn["land"] += std::ranges::count(random.owners, -1) > 0 ? 1 : 0;
    drawn["wider than a block"] += [&] {
      const layout::Blocks layout = random.layout();
      return layout.local(0).extent(0) < random.halo.above[0];
    }();
    drawn["uneven widths"] += random.halo.below != random.halo.above ? 1 : 0;
  }
  for (const auto& [what, times] : drawn) {
    EXPECT_GT(times, 10) << what;
  }
}

TEST(BlockHaloTest, a_tripolar_grid_reads_beyond_its_north_from_the_far_side) {
  const Blocks halves({Cuts::even(up_to(8), 2), Cuts::even(up_to(4), 1)});
  const Halo north{.above = {0, 1, 0, 0}, .periodic = {true, false, false, false}, .fold = Fold{}};
  const Route route = halo(halves, north, 0);
  EXPECT_EQ(route.sends, (std::vector<Leg>{{.peer = 1,
                                            .box = Box{}.with(0, 0, 4).with(1, 3, 4),
                                            .reversed = 0b11,
                                            .dimensions = 2}}));
  EXPECT_EQ(
      route.receives,
      (std::vector<Leg>{{.peer = 1, .box = Box{}.with(0, 0, 4).with(1, 4, 5), .dimensions = 2}}));
}

TEST(BlockHaloTest, blocks_that_nobody_owns_send_and_receive_nothing) {
  const Blocks blocks({Cuts::even(up_to(6), 3)}, std::vector{0, layout::nobody, 1});
  const Halo one{.below = {1, 0, 0, 0}, .above = {1, 0, 0, 0}};
  EXPECT_EQ(halo(blocks, one, 0), Route{});
  EXPECT_EQ(halo(blocks, one, 1), Route{});
}

TEST(BlockHaloTest, halos_that_a_layout_cannot_have_are_reported) {
  const Blocks blocks({Cuts::even(up_to(8), 2), Cuts::even(up_to(3), 1)});
  const auto refused = [&blocks](const Halo& asked) {
    return problem([&] { halo(blocks, asked, 0); });
  };
  EXPECT_EQ(refused({.below = {0, -1, 0, 0}}),
            "a halo of width -1 along dimension 2; allowed: 0 or more; give the number of ghost "
            "cells");
  EXPECT_EQ(refused({.fold = Fold{}}),
            "a fold of a grid that is closed along dimension 1; allowed: periodic along dimension "
            "1, and not along dimension 2, whose upper edge is folded; set periodic "
            "accordingly or remove the fold");
  EXPECT_EQ(refused({.periodic = {true, true, false, false}, .fold = Fold{}}).substr(0, 53),
            "a fold of a grid that is periodic along dimension 2; ");
  EXPECT_EQ(
      refused({.above = {0, 3, 0, 0},
               .periodic = {true, false, false, false},
               .fold = Fold{.skipped = 1}}),
      "a fold that skips 1 rows, with a halo of 3 above it, on a grid of 3 rows; allowed: 0 or "
      "more skipped rows, which with the halo are no more than the grid's; skip 1 for points "
      "on the fold, 0 for others");
  const Blocks dealt({Cuts::cyclic(up_to(8), 2, 2)});
  EXPECT_EQ(problem([&] { halo(dealt, {.below = {1, 0, 0, 0}}, 0); }),
            "a halo along dimension 1, which is distributed in blocks, so its parts have no "
            "neighbours; cut it evenly or at points, and give each block its owner");
  const Blocks rows_dealt({Cuts::even(up_to(8), 2), Cuts::cyclic(up_to(6), 1, 2)});
  EXPECT_EQ(
      problem([&] { halo(rows_dealt, {.below = {1, 0, 0, 0}}, 0); }),
      "a halo of a layout that is distributed in blocks along dimension 2, where the indices "
      "of a part are not contiguous; cut it evenly or at points, and give each block its owner");
  const Blocks one_block_each({Cuts::even(up_to(8), 2), Cuts::cyclic(up_to(6), 3, 2)});
  const Blocks even({Cuts::even(up_to(8), 2), Cuts::even(up_to(6), 2)});
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(halo(one_block_each, {.below = {1, 1, 0, 0}}, rank),
              halo(even, {.below = {1, 1, 0, 0}}, rank));
  }
  EXPECT_EQ(problem([&] { halo(Blocks({Cuts::even(up_to(0), 1)}), {.below = {1, 0, 0, 0}}, 0); }),
            "a halo along dimension 1 of a grid without indices there; give it at least one, or "
            "width 0");
}

}  // namespace
}  // namespace halocline::route
