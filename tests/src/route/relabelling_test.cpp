#include "halocline/route/relabelling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "halocline/base/error.hpp"
#include "support/layout_pairs.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Cuts;
using layout::Index;
using layout::Interval;

Index moved(const Blocks& source, const Blocks& destination, const Region& region) {
  Index sum = 0;
  for (int rank = 0; rank < source.ranks(); ++rank) {
    for (const Leg& leg : redistribution(source, destination, rank, region).sends) {
      sum += leg.peer == rank ? 0 : leg.box.volume();
    }
  }
  return sum;
}

std::vector<int> owners_of(const Blocks& layout) {
  std::vector<int> owners;
  for (int place = 0; place < layout.places(); ++place) {
    owners.push_back(layout.owner(place));
  }
  return owners;
}

/// The fewest indices that move, all orders of the destination's ranks tried.
Index fewest_by_trial(const Blocks& source, const Blocks& destination, const Region& region) {
  const std::vector<int> owners = owners_of(destination);
  std::vector<int> ranks = owners;
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::vector<int> order = ranks;
  Index fewest = std::numeric_limits<Index>::max();
  do {
    std::vector<int> tried = owners;
    for (int& owner : tried) {
      owner =
          order[static_cast<std::size_t>(std::ranges::lower_bound(ranks, owner) - ranks.begin())];
    }
    fewest = std::min(fewest, moved(source, destination.owned_by(tried), region));
  } while (std::next_permutation(order.begin(), order.end()));
  return fewest;
}

TEST(RelabellingTest, random_layouts_move_no_more_than_the_best_order_of_ranks) {
  const auto problem = [](const test::LayoutPair& pair) -> std::string {
    const Blocks source = pair.source_layout();
    const Blocks destination = pair.destination_layout();
    const Relabelling found = relabelled(source, destination, pair.region(), Assignment::fewest);
    const Relabelling nearly =
        relabelled(source, destination, pair.region(), Assignment::largest_first);
    const auto after = [&](const Relabelling& relabelling) {
      return moved(source, destination.owned_by(relabelling.owners), pair.region());
    };
    if (found.moved_before != moved(source, destination, pair.region())) {
      return "what moved before is wrong";
    }
    if (found.moved_after != after(found) || nearly.moved_after != after(nearly)) {
      return "what moves after is wrong";
    }
    if (nearly.moved_after > nearly.moved_before) {
      return "the largest first move more than before";
    }
    return found.moved_after == fewest_by_trial(source, destination, pair.region())
               ? ""
               : "another order moves fewer";
  };
  EXPECT_EQ(test::first_problem(1, 1000, 6, problem), "");
}

Blocks grid(int x, int y, int first_rank = 0) {
  return Blocks(
      {Cuts::even({.lower = 0, .upper = 512}, x), Cuts::even({.lower = 0, .upper = 1024}, y),
       Cuts::even({.lower = 0, .upper = 16}, 1)},
      first_rank);
}

TEST(RelabellingTest, ranks_keep_their_load) {
  const Relabelling found = relabelled(grid(4, 8), grid(16, 2));
  std::vector<int> sorted = found.owners;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, owners_of(grid(16, 2)));
}

TEST(RelabellingTest, a_destination_that_was_only_renamed_does_not_move) {
  const Blocks source = grid(4, 4);
  std::vector<int> backwards = owners_of(source);
  std::ranges::reverse(backwards);
  const Relabelling found = relabelled(source, source.owned_by(backwards));
  EXPECT_EQ(found.moved_before, source.global().volume());
  EXPECT_EQ(found.moved_after, 0);
  EXPECT_EQ(found.owners, owners_of(source));
}

TEST(RelabellingTest, ranks_apart_from_the_source_stay_as_they_are) {
  const Relabelling found = relabelled(grid(2, 2), grid(4, 1, 4));
  EXPECT_EQ(found.owners, (std::vector{4, 5, 6, 7}));
  EXPECT_EQ(found.moved_after, grid(2, 2).global().volume());
}

TEST(RelabellingTest, grids_that_differ_are_reported) {
  EXPECT_THROW(relabelled(grid(2, 2), Blocks({Cuts::even({.lower = 0, .upper = 3}, 2)})), Error);
}

TEST(RelabellingTest, the_largest_first_find_most_of_it_where_ranks_are_many) {
  // The rows of Table 1, Li 2007, with 512 and 2048 ranks.
  const Relabelling exact = relabelled(grid(32, 16), grid(16, 32));
  const Relabelling nearly =
      relabelled(grid(32, 16), grid(16, 32),
                 {.source = grid(1, 1).global(), .destination = grid(1, 1).global()},
                 Assignment::largest_first);
  EXPECT_LT(exact.moved_after, exact.moved_before);
  EXPECT_LE(exact.moved_after, nearly.moved_after);
  const Relabelling many = relabelled(grid(32, 64), grid(64, 32));
  EXPECT_LT(many.moved_after, many.moved_before);
}

}  // namespace
}  // namespace halocline::route
