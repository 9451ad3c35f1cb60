#include "halocline/route/halo.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "halocline/base/error.hpp"

namespace halocline::route {
namespace {

using layout::Box;
using layout::Decomposition;
using layout::Index;

struct Shape {
  const char* name;
  Decomposition decomposition;
  HaloWidths widths;
};

/// Every index of a box, once.
template <class Visit>
void for_each(const Box& box, Visit visit) {
  for (Index k = box.lower[2]; k < box.upper[2]; ++k) {
    for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
      for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
        visit(std::array<Index, 3>{i, j, k});
      }
    }
  }
}

class HaloTest : public testing::TestWithParam<Shape> {
 protected:
  int ranks() const { return decomposition_.grid.size(); }

  Route phase(int rank, std::size_t dimension) const {
    HaloWidths filled{};
    std::copy_n(GetParam().widths.begin(), dimension, filled.begin());
    return halo(decomposition_, rank, dimension, GetParam().widths[dimension], filled);
  }

  Box with_ghosts(int rank) const {
    Box box = decomposition_.owned(rank);
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      box = box.widened(dimension, GetParam().widths[dimension]);
    }
    return box;
  }

  std::array<Index, 3> inside(std::array<Index, 3> index) const {
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      const Index extent = decomposition_.global.extent(dimension);
      index[dimension] = (index[dimension] % extent + extent) % extent;
    }
    return index;
  }

  static constexpr std::size_t dimensions = 3;
  const Decomposition& decomposition_ = GetParam().decomposition;
};

TEST_P(HaloTest, what_one_sends_is_what_the_other_receives) {
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    std::map<std::pair<int, int>, std::vector<Box>> sent;
    std::map<std::pair<int, int>, std::vector<Box>> received;
    for (int rank = 0; rank < ranks(); ++rank) {
      const Route route = phase(rank, dimension);
      for (const Leg& leg : route.sends) {
        sent[{rank, leg.peer}].push_back(leg.box);
      }
      for (const Leg& leg : route.receives) {
        received[{leg.peer, rank}].push_back(leg.box);
      }
    }
    ASSERT_EQ(sent.size(), received.size());
    for (const auto& [ends, boxes] : sent) {
      ASSERT_EQ(boxes.size(), received[ends].size());
      for (std::size_t nth = 0; nth < boxes.size(); ++nth) {
        std::vector<std::array<Index, 3>> there;
        std::vector<std::array<Index, 3>> here;
        for_each(boxes[nth], [&](const auto& index) { there.push_back(inside(index)); });
        for_each(received[ends][nth], [&](const auto& index) { here.push_back(inside(index)); });
        EXPECT_EQ(there, here) << ends.first << " to " << ends.second;
      }
    }
  }
}

TEST_P(HaloTest, the_phases_cover_each_ghost_cell_once_and_no_other) {
  for (int rank = 0; rank < ranks(); ++rank) {
    std::map<std::array<Index, 3>, int> arrivals;
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      for (const Leg& leg : phase(rank, dimension).receives) {
        for_each(leg.box, [&](const auto& index) { ++arrivals[index]; });
      }
    }
    const Box owned = decomposition_.owned(rank);
    const Box all = with_ghosts(rank);
    EXPECT_EQ(static_cast<Index>(arrivals.size()), all.volume() - owned.volume());
    for (const auto& [index, times] : arrivals) {
      const Box cell{.lower = {index[0], index[1], index[2], 0},
                     .upper = {index[0] + 1, index[1] + 1, index[2] + 1, 1}};
      EXPECT_EQ(times, 1);
      EXPECT_TRUE(all.contains(cell));
      EXPECT_TRUE(owned.intersection(cell).empty());
    }
  }
}

TEST_P(HaloTest, what_is_sent_was_owned_or_filled_before) {
  for (int rank = 0; rank < ranks(); ++rank) {
    Box filled = decomposition_.owned(rank);
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      for (const Leg& leg : phase(rank, dimension).sends) {
        EXPECT_TRUE(filled.contains(leg.box)) << "rank " << rank;
      }
      filled = filled.widened(dimension, GetParam().widths[dimension]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, HaloTest,
    testing::Values(
        Shape{"alone", {{.upper = {5, 4, 1, 1}}, {}}, {1, 1, 0, 0}},
        Shape{"alone_as_wide_as_the_block", {{.upper = {2, 3, 1, 1}}, {}}, {2, 3, 0, 0}},
        Shape{"two", {{.upper = {6, 4, 1, 1}}, {{2, 1, 1, 1}}}, {1, 1, 0, 0}},
        Shape{"two_upright", {{.upper = {6, 4, 1, 1}}, {{1, 2, 1, 1}}}, {2, 2, 0, 0}},
        Shape{"four", {{.upper = {7, 6, 1, 1}}, {{2, 2, 1, 1}}}, {1, 2, 0, 0}},
        Shape{"six_uneven", {{.upper = {11, 5, 1, 1}}, {{3, 2, 1, 1}}}, {2, 1, 0, 0}},
        Shape{"eight_in_space", {{.upper = {5, 4, 7, 1}}, {{2, 2, 2, 1}}}, {1, 2, 3, 0}},
        Shape{"sixteen_in_a_line", {{.upper = {32, 3, 1, 1}}, {{16, 1, 1, 1}}}, {2, 1, 0, 0}}),
    [](const auto& instance) { return instance.param.name; });

TEST(HaloErrorTest, a_halo_wider_than_a_block_names_the_remedy) {
  const Decomposition decomposition{.global = {.upper = {11, 4, 1, 1}}, .grid = {{4, 1, 1, 1}}};
  try {
    halo(decomposition, 0, 0, 3);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a halo of width 3 on blocks of 2 indices along dimension 1; allowed: up to 2; "
                 "use fewer ranks along it");
  }
}

}  // namespace
}  // namespace halocline::route
