#include "halocline/protocol/ordered.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace halocline::protocol {
namespace {

/// Random routes among `ranks` ranks: how many messages go from the first to the second.
std::vector<Messages> random_messages(int ranks, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Messages> messages(static_cast<std::size_t>(ranks));
  for (int source = 0; source < ranks; ++source) {
    for (int destination = 0; destination < ranks; ++destination) {
      const unsigned count = source == destination ? 0 : static_cast<unsigned>(generator()) % 3;
      for (unsigned message = 0; message < count; ++message) {
        messages[static_cast<std::size_t>(source)].sends.push_back({destination, {}});
        messages[static_cast<std::size_t>(destination)].receives.push_back({source, {}});
      }
    }
  }
  return messages;
}

/// Runs blocking calls that return only when their partner has come, as the strictest MPI would.
/// Returns the number of calls that are left when nothing moves any more.
std::size_t left_over(std::vector<std::vector<std::pair<int, int>>> calls) {
  const auto front = [&calls](int rank) -> std::pair<int, int> {
    const auto& own = calls[static_cast<std::size_t>(rank)];
    return own.empty() ? std::pair{mpi::no_rank, mpi::no_rank} : own.front();
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < static_cast<int>(calls.size()); ++rank) {
      const auto [destination, source] = front(rank);
      const int peer = destination != mpi::no_rank ? destination : source;
      if (peer == mpi::no_rank) {
        continue;
      }
      const auto [peer_destination, peer_source] = front(peer);
      const bool sent = destination == mpi::no_rank || peer_source == rank;
      const bool received = source == mpi::no_rank || peer_destination == rank;
      if (sent && received) {
        calls[static_cast<std::size_t>(rank)].erase(calls[static_cast<std::size_t>(rank)].begin());
        calls[static_cast<std::size_t>(peer)].erase(calls[static_cast<std::size_t>(peer)].begin());
        moved = true;
      }
    }
  }
  std::size_t left = 0;
  for (const auto& own : calls) {
    left += own.size();
  }
  return left;
}

TEST(OrderedTest, blocking_calls_never_wait_in_a_circle) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto messages = random_messages(6, seed);
    std::vector<std::vector<std::pair<int, int>>> one_by_one(messages.size());
    std::vector<std::vector<std::pair<int, int>>> in_pairs(messages.size());
    std::vector<std::vector<std::pair<int, int>>> in_steps(messages.size());
    for (int rank = 0; rank < static_cast<int>(messages.size()); ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      for (const Step& step : one_at_a_time(messages[index], rank)) {
        const auto* outgoing = std::get_if<Outgoing>(&step);
        one_by_one[index].push_back(outgoing != nullptr
                                        ? std::pair{outgoing->peer, mpi::no_rank}
                                        : std::pair{mpi::no_rank, std::get<Incoming>(step).peer});
      }
      for (const Swap& swap : pairwise(messages[index], rank)) {
        in_pairs[index].emplace_back(swap.outgoing.peer, swap.incoming.peer);
      }
      for (const Swap& swap : by_distance(messages[index], rank)) {
        in_steps[index].emplace_back(swap.outgoing.peer, swap.incoming.peer);
      }
    }
    EXPECT_EQ(left_over(one_by_one), 0U) << "seed " << seed;
    EXPECT_EQ(left_over(in_pairs), 0U) << "seed " << seed;
    EXPECT_EQ(left_over(in_steps), 0U) << "seed " << seed;
  }
}

TEST(OrderedTest, every_message_is_carried_once) {
  const auto messages = random_messages(5, 42);
  for (int rank = 0; rank < 5; ++rank) {
    const Messages& own = messages[static_cast<std::size_t>(rank)];
    EXPECT_EQ(one_at_a_time(own, rank).size(), own.sends.size() + own.receives.size());
    std::size_t sides = 0;
    for (const Swap& swap : pairwise(own, rank)) {
      sides += (swap.outgoing.peer != mpi::no_rank ? 1U : 0U) +
               (swap.incoming.peer != mpi::no_rank ? 1U : 0U);
    }
    EXPECT_EQ(sides, own.sends.size() + own.receives.size());
  }
}

}  // namespace
}  // namespace halocline::protocol
