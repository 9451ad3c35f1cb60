// Routes between lists of points, and between lists and blocks.

#include "halocline/route/lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/mpi/sparse_exchange.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Box;
using layout::Cuts;
using layout::Index;
using layout::Points;
using Numbers = std::vector<Index>;

/// One rank's memory of a side: a value for each index of a box.
struct Memory {
  Box extent;
  Numbers values = Numbers(static_cast<std::size_t>(extent.volume()), -1);

  Index& at(Index i, Index j, Index k) {
    const Box& box = extent;
    return values[static_cast<std::size_t>(
        i - box.lower[0] +
        box.extent(0) * (j - box.lower[1] + box.extent(1) * (k - box.lower[2])))];
  }
};

void each_index(const Box& box, const auto& visit) {
  for (Index k = box.lower[2]; k < box.upper[2]; ++k) {
    for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
      for (Index i = box.lower[0]; i < box.upper[0]; ++i) {
        visit(i, j, k);
      }
    }
  }
}

class ListsTest : public testing::Test {
 protected:
  /// Carries the values as the route says.
  void carry(const Route& route, Memory& source, Memory& destination) const {
    std::map<int, Numbers> messages;
    for (const Leg& leg : route.sends) {
      each_index(leg.box, [&](Index i, Index j, Index k) {
        messages[leg.peer].push_back(source.at(i, j, k));
      });
    }
    std::vector<mpi::Letter> outgoing;
    for (const auto& [peer, values] : messages) {
      outgoing.push_back({.peer = peer, .numbers = {values.begin(), values.end()}});
    }
    std::map<int, std::size_t> taken;
    std::map<int, Numbers> incoming;
    for (const mpi::Letter& letter : mpi::sparse_exchange(world_, outgoing)) {
      incoming[letter.peer].assign(letter.numbers.begin(), letter.numbers.end());
    }
    for (const Leg& leg : route.receives) {
      each_index(leg.box, [&](Index i, Index j, Index k) {
        destination.at(i, j, k) = incoming[leg.peer].at(taken[leg.peer]++);
      });
    }
    for (const auto& [peer, values] : incoming) {
      EXPECT_EQ(taken[peer], values.size());
    }
  }

  std::string problem(const auto& make) const {
    std::string words;
    try {
      make();
    } catch (const Error& error) {
      words = error.what();
    }
    EXPECT_EQ(words, world_.broadcast(words)) << "not the words of rank 0";
    return words.starts_with("rank ") ? words.substr(words.find(": ") + 2) : words;
  }

  Route route(const Numbers& source, const Numbers& destination,
              Unwanted unwanted = Unwanted::refused) const {
    return redistribution(Points(source), Points(destination), world_, unwanted);
  }
  int last() const { return world_.size() - 1; }
  /// The numbers on one rank, nothing on the others.
  Numbers on(int rank, Numbers numbers) const {
    return world_.rank() == rank ? std::move(numbers) : Numbers{};
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

/// The numbers of all ranks dealt anew, the same on all: in pieces of up to so many, in order or
/// not.
std::vector<Numbers> dealt(Numbers all, int ranks, std::mt19937_64& random) {
  const std::size_t longest = std::size_t{1} << random() % 12;
  if (random() % 2 == 0) {
    std::ranges::shuffle(all, random);
  }
  const auto dealt_to = 1 + random() % static_cast<std::uint64_t>(ranks);
  std::vector<Numbers> lists(static_cast<std::size_t>(ranks));
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t length = std::min<std::size_t>(1 + random() % longest, all.size() - begin);
    Numbers& list = lists[random() % dealt_to];
    list.insert(list.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                all.begin() + static_cast<std::ptrdiff_t>(begin + length));
    begin += length;
  }
  return lists;
}

TEST_F(ListsTest, every_point_of_random_lists_arrives) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    Numbers all(random() % 3000);
    std::iota(all.begin(), all.end(), static_cast<Index>(random() % 1'000'000'000'000));
    const Index step = 1 + static_cast<Index>(random() % 3) * 700;
    std::ranges::for_each(all, [step](Index& number) { number *= step; });
    const auto source_lists = dealt(all, world_.size(), random);
    // Some numbers are not asked for.
    const std::size_t left_out = random() % 2 == 0 ? 0 : random() % (all.size() + 1);
    const auto destination_lists =
        dealt(Numbers(all.begin() + static_cast<std::ptrdiff_t>(left_out), all.end()),
              world_.size(), random);
    const auto rank = static_cast<std::size_t>(world_.rank());
    const Route found = route(source_lists[rank], destination_lists[rank],
                              left_out == 0 ? Unwanted::refused : Unwanted::allowed);
    Memory source{.extent = Box::line(static_cast<Index>(source_lists[rank].size())),
                  .values = source_lists[rank]};
    Memory destination{.extent = Box::line(static_cast<Index>(destination_lists[rank].size()))};
    carry(found, source, destination);
    ASSERT_EQ(destination.values, destination_lists[rank]) << "seed " << seed;
  }
}

TEST_F(ListsTest, what_lies_side_by_side_on_both_sides_is_one_box) {
  // Backwards on both sides: the numbers fall, the positions rise.
  Numbers numbers(2000);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  Route expected;
  if (world_.rank() == last()) {
    expected.sends = {{.peer = 0, .box = Box::line(2000)}};
  }
  if (world_.rank() == 0) {
    expected.receives = {{.peer = last(), .box = Box::line(2000)}};
  }
  EXPECT_EQ(route(on(last(), numbers), on(0, numbers)), expected);
}

TEST_F(ListsTest, points_carry_their_levels) {
  const Box levels = Box{}.with(1, 2, 5);
  const Numbers one{4};
  const Route found =
      redistribution(Points(on(0, one), levels), Points(on(last(), one), levels), world_);
  if (world_.rank() == 0) {
    EXPECT_EQ(found.sends, (std::vector<Leg>{{.peer = last(), .box = Box::line(1).with(1, 2, 5)}}));
  }
}

TEST_F(ListsTest, an_ocean_without_its_land_goes_to_blocks_and_back) {
  constexpr Index width = 24;
  constexpr Index height = 18;
  constexpr Index levels = 3;
  const int columns = std::min(2, world_.size());
  const Blocks blocks({Cuts::cyclic({.lower = 0, .upper = width}, 5, columns),
                       Cuts::even({.lower = 0, .upper = height}, world_.size() / columns),
                       Cuts::even({.lower = 0, .upper = levels}, 1)});
  std::mt19937_64 random(5);
  Numbers ocean;
  for (Index number = 0; number < width * height; ++number) {
    if (random() % 3 != 0) {
      ocean.push_back(number);
    }
  }
  const auto own = dealt(ocean, world_.size(), random)[static_cast<std::size_t>(world_.rank())];
  const Points list(own, Box{}.with(2, 0, levels));
  const Points block = Points::of(blocks, world_.rank(), 2);
  const auto to_list = redistribution(block, list, world_, Unwanted::allowed);
  const auto owned = blocks.owned(world_.rank());
  const Box local = owned.empty() ? Box::line(0) : owned.front().local;
  Memory on_blocks{.extent = local};
  each_index(local, [&](Index i, Index j, Index k) { on_blocks.at(i, j, k) = -2; });
  Memory on_list{.extent = Box::line(static_cast<Index>(own.size())).with(2, 0, levels)};
  for (std::size_t point = 0; point < own.size(); ++point) {
    for (Index level = 0; level < levels; ++level) {
      on_list.at(static_cast<Index>(point), 0, level) = 1000 * level + own[point];
    }
  }
  const Memory original = on_list;
  carry(to_list.reversed(), on_list, on_blocks);
  Index seen = 0;
  const auto arrived =
      std::ranges::count_if(on_blocks.values, [](Index value) { return value >= 0; });
  EXPECT_EQ(world_.sum(static_cast<std::uint64_t>(arrived)), ocean.size() * levels);
  for (const Points::Run& run : block.runs()) {
    const Box box = block.place(run.position, run.length).box;
    each_index(box, [&](Index i, Index j, Index k) {
      const Index number = run.number + (i - box.lower[0]);
      const bool is_ocean = std::ranges::binary_search(ocean, number);
      ASSERT_EQ(on_blocks.at(i, j, k), is_ocean ? 1000 * k + number : -2);
      seen += is_ocean ? 1 : 0;
    });
  }
  EXPECT_EQ(seen, arrived);
  std::ranges::fill(on_list.values, -1);
  carry(to_list, on_blocks, on_list);
  EXPECT_EQ(on_list.values, original.values);
}

TEST_F(ListsTest, a_point_that_is_twice_on_a_side_is_reported) {
  EXPECT_EQ(
      problem([&] { route(on(0, {5, 6, 6}), on(0, {5, 6})); }),
      "point 6 is listed twice at the source, on rank 0 and on rank 0; allowed: once; remove it "
      "from one list");
  const Numbers both = world_.rank() == 0 || world_.rank() == last() ? Numbers{300} : Numbers{};
  if (world_.size() > 1) {
    EXPECT_EQ(problem([&] { route(on(0, {300}), both); }),
              "point 300 is listed twice at the destination, on rank 0 and on rank " +
                  std::to_string(last()) +
                  "; allowed: once; remove it "
                  "from one list");
  }
}

TEST_F(ListsTest, a_point_that_nobody_has_is_reported) {
  EXPECT_EQ(problem([&] { route(on(0, {1, 2, 4}), on(last(), {1, 2, 3, 4})); }),
            "rank " + std::to_string(last()) +
                " asks for point 3, which no rank has at the source; leave it out of the "
                "destination's list");
}

TEST_F(ListsTest, a_point_that_nobody_wants_is_reported_unless_allowed) {
  const auto unwanted = [this](Unwanted what) { route(on(last(), {1, 2}), on(0, {2}), what); };
  EXPECT_EQ(problem([&] { unwanted(Unwanted::refused); }),
            "rank " + std::to_string(last()) +
                " has point 1 at the source, which no rank asks for; leave it out, or allow "
                "unwanted points");
  EXPECT_EQ(problem([&] { unwanted(Unwanted::allowed); }), "");
}

TEST_F(ListsTest, a_number_that_is_not_allowed_is_reported) {
  const auto refused = [this](const Numbers& source) {
    return problem([&] { route(on(last(), source), on(0, {3})); });
  };
  const std::string allowed = "; allowed: 0 to 9223372036854775806; leave it out";
  EXPECT_EQ(refused({3, -1}), "point -1 in the source's list at position 1" + allowed);
  constexpr Index largest = std::numeric_limits<Index>::max();
  EXPECT_EQ(refused({3, largest - 1, largest, std::numeric_limits<Index>::min()}),
            "point 9223372036854775807 in the source's list at position 2" + allowed);
  EXPECT_EQ(problem([&] { route(on(last(), {largest - 1}), on(0, {largest - 1})); }), "");
}

TEST_F(ListsTest, points_that_carry_different_extents_are_reported) {
  const Numbers one = on(0, {1});
  EXPECT_EQ(problem([&] { redistribution(Points(one, Box{}.with(1, 0, 3)), Points(one), world_); }),
            "a point carries 3 x 1 x 1 values at the source and 1 x 1 x 1 at the destination; both "
            "must have the same extents beyond the first dimension");
  if (world_.size() > 1) {
    const Box own = Box{}.with(1, 0, world_.rank() == last() ? 3 : 2);
    EXPECT_NE(problem([&] { redistribution(Points(one, own), Points(one, own), world_); }), "");
  }
}

TEST_F(ListsTest, no_points_are_no_route) { EXPECT_EQ(route({}, {}), Route{}); }

}  // namespace
}  // namespace halocline::route
