#include "halocline/protocol/ordered.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace halocline::protocol {
namespace {

using Position = std::tuple<int, int, std::size_t, bool>;  // lower, higher, k, sent by the higher

/// Calls `place(position, message)` with each message's place among all messages of all ranks.
template <class Message, class Place>
void for_each_position(const std::vector<Message>& messages, int rank, bool outgoing, Place place) {
  std::map<int, std::size_t> count_of_peer;
  for (const Message& message : messages) {
    const auto [lower, higher] = std::minmax(rank, message.peer);
    const bool sent_by_higher = outgoing == (rank > message.peer);
    place(Position{lower, higher, count_of_peer[message.peer]++, sent_by_higher}, &message);
  }
}

}  // namespace

std::vector<Step> one_at_a_time(const Messages& messages, int rank) {
  std::map<Position, Step> ordered;
  for_each_position(messages.sends, rank, true, [&](Position position, const Outgoing* message) {
    ordered.insert_or_assign(position, *message);
  });
  for_each_position(messages.receives, rank, false,
                    [&](Position position, const Incoming* message) {
                      ordered.insert_or_assign(position, *message);
                    });
  std::vector<Step> steps;
  for (const auto& [position, step] : ordered) {
    steps.push_back(step);
  }
  return steps;
}

std::vector<Swap> pairwise(const Messages& messages, int rank) {
  std::map<Position, Swap> ordered;
  const auto together = [](Position position) {
    std::get<bool>(position) = false;
    return position;
  };
  for_each_position(messages.sends, rank, true, [&](Position position, const Outgoing* message) {
    ordered[together(position)].outgoing = *message;
  });
  for_each_position(messages.receives, rank, false,
                    [&](Position position, const Incoming* message) {
                      ordered[together(position)].incoming = *message;
                    });
  std::vector<Swap> swaps;
  for (const auto& [position, swap] : ordered) {
    swaps.push_back(swap);
  }
  return swaps;
}

std::vector<Swap> by_distance(const Messages& messages, int rank) {
  std::vector<Swap> swaps = pairwise(messages, rank);
  std::ranges::stable_sort(swaps, {}, [rank](const Swap& swap) {
    const int peer = swap.outgoing.peer == mpi::no_rank ? swap.incoming.peer : swap.outgoing.peer;
    return static_cast<unsigned>(rank) ^ static_cast<unsigned>(peer);
  });
  return swaps;
}

}  // namespace halocline::protocol
