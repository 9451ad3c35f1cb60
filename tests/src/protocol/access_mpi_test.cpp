#include "halocline/protocol/access.hpp"

#include <gtest/gtest.h>

namespace halocline::protocol {
namespace {

TEST(AccessTest, the_kth_number_sent_to_a_peer_is_its_kth_from_this_rank) {
  const auto world = mpi::Communicator::world();
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  const auto number = [](int from, int to, int k) {
    return static_cast<std::uint64_t>(10'000 * from + 100 * to + k);
  };
  std::vector<NumberFor> outgoing;
  std::vector<int> expected;
  std::vector<std::uint64_t> numbers;
  for (int k = 0; k < 3; ++k) {  // the two peers' by turns
    for (const int peer : {next, previous}) {
      outgoing.push_back({.peer = peer, .number = number(world.rank(), peer, k)});
    }
  }
  const int from_each = next == previous ? 6 : 3;  // then both are one
  for (const int peer : next == previous ? std::vector{next} : std::vector{previous, next}) {
    for (int k = 0; k < from_each; ++k) {
      expected.push_back(peer);
      numbers.push_back(number(peer, world.rank(), next == previous ? k / 2 : k));
    }
  }
  EXPECT_EQ(swap_numbers(world, outgoing, expected), numbers);
}

TEST(AccessTest, peers_are_named_once_and_in_order) {
  std::vector<Outgoing> messages;
  for (const int peer : {4, 1, 4, 0}) {
    messages.push_back({.peer = peer});
  }
  EXPECT_EQ(peers_of(messages), (std::vector{0, 1, 4}));
}

}  // namespace
}  // namespace halocline::protocol
