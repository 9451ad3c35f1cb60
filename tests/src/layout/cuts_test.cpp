#include "halocline/layout/cuts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/problem.hpp"

namespace halocline::layout {
namespace {

using test::problem;

struct Owned {
  int place;
  Interval indices;
  Index local_lower;

  friend bool operator==(const Owned&, const Owned&) = default;
};

std::vector<Owned> owners_in(const Cuts& cuts, Interval within) {
  std::vector<Owned> found;
  cuts.owners_in(within, [&found](int place, const Piece& piece) {
    found.push_back({place, piece.indices, piece.local_lower});
  });
  return found;
}

std::vector<Owned> owned_in(const Cuts& cuts, int place, Interval within) {
  std::vector<Owned> found;
  cuts.owned_in(place, within, [&found, place](const Piece& piece) {
    found.push_back({place, piece.indices, piece.local_lower});
  });
  return found;
}

TEST(CutsTest, even_parts_differ_by_one_index_the_longer_first) {
  const Cuts cuts = Cuts::even({.lower = -2, .upper = 9}, 4);
  EXPECT_EQ(owners_in(cuts, cuts.whole()),
            (std::vector<Owned>{{0, {-2, 1}, -2}, {1, {1, 4}, 1}, {2, {4, 7}, 4}, {3, {7, 9}, 7}}));
  EXPECT_EQ(cuts.owned(0), 3);
  EXPECT_EQ(cuts.owned(3), 2);
  EXPECT_EQ(cuts.first(3), 7);
}

TEST(CutsTest, more_even_parts_than_indices_leave_places_empty) {
  const Cuts cuts = Cuts::even({.lower = 0, .upper = 2}, 5);
  EXPECT_EQ(owners_in(cuts, {.lower = -9, .upper = 9}),
            (std::vector<Owned>{{0, {0, 1}, 0}, {1, {1, 2}, 1}}));
  EXPECT_EQ(cuts.owned(4), 0);
  EXPECT_EQ(owned_in(cuts, 4, cuts.whole()), std::vector<Owned>{});
}

TEST(CutsTest, cut_points_may_leave_a_part_empty) {
  const Cuts cuts = Cuts::at({3, 3, 5, 5, 5, 9});
  EXPECT_EQ(cuts.places(), 5);
  EXPECT_EQ(cuts.whole(), (Interval{3, 9}));
  EXPECT_EQ(owners_in(cuts, {.lower = 4, .upper = 6}),
            (std::vector<Owned>{{1, {4, 5}, 4}, {4, {5, 6}, 5}}));
  EXPECT_EQ(cuts.owned(0), 0);
  EXPECT_EQ(cuts.owned(4), 4);
}

TEST(CutsTest, cyclic_blocks_lie_one_after_the_other_where_they_are_kept) {
  const Cuts cuts = Cuts::cyclic({.lower = 10, .upper = 21}, 2, 3);
  EXPECT_EQ(owned_in(cuts, 0, cuts.whole()),
            (std::vector<Owned>{{0, {10, 12}, 10}, {0, {16, 18}, 12}}));
  EXPECT_EQ(owned_in(cuts, 2, cuts.whole()),
            (std::vector<Owned>{{2, {14, 16}, 14}, {2, {20, 21}, 16}}));
  EXPECT_EQ(owned_in(cuts, 0, {.lower = 17, .upper = 18}), (std::vector<Owned>{{0, {17, 18}, 13}}));
  EXPECT_EQ(owners_in(cuts, {.lower = 13, .upper = 17}),
            (std::vector<Owned>{{1, {13, 14}, 13}, {2, {14, 16}, 14}, {0, {16, 17}, 12}}));
  EXPECT_EQ(cuts.owned(0), 4);
  EXPECT_EQ(cuts.owned(1), 4);
  EXPECT_EQ(cuts.owned(2), 3);
}

TEST(CutsTest, nothing_is_owned_in_an_empty_interval_or_outside) {
  for (const Cuts& cuts :
       {Cuts::even({.lower = 0, .upper = 8}, 3), Cuts::at({0, 3, 8}),
        Cuts::cyclic({.lower = 0, .upper = 8}, 2, 3), Cuts::even({.lower = 0, .upper = 0}, 3),
        Cuts::at({0, 0, 0}), Cuts::cyclic({.lower = 0, .upper = 0}, 2, 3)}) {
    for (const Interval within :
         {Interval{3, 3}, Interval{5, 2}, Interval{-4, 0}, Interval{8, 99}}) {
      EXPECT_EQ(owners_in(cuts, within), std::vector<Owned>{});
      EXPECT_EQ(owned_in(cuts, 1, within), std::vector<Owned>{});
    }
  }
}

TEST(CutsTest, the_cost_does_not_grow_with_the_places) {
  // A visit of all places, or of all blocks, would take minutes.
  const Cuts even = Cuts::even({.lower = 0, .upper = Index{1} << 60}, INT32_MAX);
  const Cuts cyclic = Cuts::cyclic({.lower = 0, .upper = Index{1} << 60}, 8, INT32_MAX);
  for (Index lower = 0; lower < 1000; ++lower) {
    const Index at = lower * 1'000'000'000'000;
    EXPECT_EQ(owners_in(even, {.lower = at, .upper = at + 1}).size(), 1U);
    EXPECT_EQ(owners_in(cyclic, {.lower = at, .upper = at + 8}).size(), 1U);
    EXPECT_LE(owned_in(cyclic, 1, {.lower = at, .upper = at + 7}).size(), 1U);
  }
}

TEST(CutsTest, a_block_longer_than_the_dimension_is_all_of_it) {
  const Cuts cuts = Cuts::cyclic({.lower = 2, .upper = 7}, INT64_MAX, 3);
  EXPECT_EQ(owners_in(cuts, cuts.whole()), (std::vector<Owned>{{0, {2, 7}, 2}}));
  EXPECT_EQ(cuts.owned(2), 0);
}

TEST(CutsTest, what_cannot_be_cut_is_reported) {
  EXPECT_EQ(problem([] { Cuts::even({.lower = 0, .upper = 8}, 0); }),
            "a dimension cut into 0 parts; allowed: 1 or more; give the number of parts along this "
            "dimension");
  EXPECT_EQ(problem([] { Cuts::even({.lower = 8, .upper = 0}, 2); }),
            "a dimension cut from 8 to 0; the end comes before the beginning; swap them");
  EXPECT_EQ(problem([] { Cuts::at({4}); }),
            "a dimension cut at 1 points; allowed: 2 or more, its two ends among them; give one "
            "more than parts");
  EXPECT_EQ(
      problem([] { Cuts::at({0, 5, 3, 8}); }),
      "cut points out of order: 5 before 3; allowed: each at least the one before; sort them");
  EXPECT_EQ(
      problem([] { Cuts::cyclic({.lower = 0, .upper = 8}, 0, 2); }),
      "a dimension distributed in blocks of 0 indices; allowed: 1 or more; give the length of a "
      "block");
  EXPECT_EQ(
      problem([] { Cuts::cyclic({.lower = 0, .upper = 8}, 2, -1); }),
      "a dimension distributed in blocks into -1 parts; allowed: 1 or more; give the number of "
      "parts along this dimension");
}

TEST(CutsTest, the_description_tells_cuts_apart) {
  const Interval whole{.lower = 0, .upper = 8};
  EXPECT_EQ(Cuts::even(whole, 2).description(), Cuts::even(whole, 2).description());
  EXPECT_NE(Cuts::even(whole, 2).description(), Cuts::even(whole, 4).description());
  EXPECT_NE(Cuts::even(whole, 2).description(), Cuts::at({0, 3, 8}).description());
  EXPECT_NE(Cuts::at({0, 4, 8}).description(), Cuts::at({0, 3, 8}).description());
  EXPECT_NE(Cuts::cyclic(whole, 1, 2).description(), Cuts::cyclic(whole, 2, 2).description());
}

}  // namespace
}  // namespace halocline::layout
