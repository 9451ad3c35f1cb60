#include "halocline/route/description.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <vector>

namespace halocline::route {
namespace {

/// Traffic in one direction between a rank and the others.
struct Direction {
  std::vector<int> peers;  // other ranks, each once
  std::int64_t indices = 0;
  std::int64_t indices_moved = 0;
};

Direction direction(const std::vector<Leg>& legs, int rank) {
  Direction found;
  for (const Leg& leg : legs) {
    found.indices += leg.box.volume();
    if (leg.peer != rank) {
      found.indices_moved += leg.box.volume();
      found.peers.push_back(leg.peer);
    }
  }
  std::ranges::sort(found.peers);
  const auto again = std::ranges::unique(found.peers);
  found.peers.erase(again.begin(), again.end());
  return found;
}

std::int64_t in_either(const Direction& one, const Direction& other) {
  std::vector<int> all;
  std::ranges::set_union(one.peers, other.peers, std::back_inserter(all));
  return static_cast<std::int64_t>(all.size());
}

std::int64_t sum(std::int64_t number, const mpi::Communicator& communicator) {
  return static_cast<std::int64_t>(communicator.sum(static_cast<std::uint64_t>(number)));
}

}  // namespace

double Description::imbalance() const {
  if (indices_moved == 0) {
    return 1.0;
  }
  return static_cast<double>(rank_moved_maximum) * ranks / static_cast<double>(rank_moved_total);
}

std::string Description::text(std::size_t element_bytes) const {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  constexpr int longest = 32;
  std::array<char, longest> imbalance_text{};
  std::snprintf(imbalance_text.data(), imbalance_text.size(), "%.2f", imbalance());
  return std::to_string(ranks) + " ranks, each with up to " + std::to_string(peers_maximum) +
         " peers\n" + std::to_string(messages) + " messages, " + std::to_string(boxes) +
         " boxes\n" + std::to_string(indices_moved * bytes) + " of " +
         std::to_string(indices * bytes) + " bytes change rank\nimbalance " +
         imbalance_text.data() + " (the busiest rank over the mean)\n";
}

Description describe(const Route& route, const mpi::Communicator& communicator) {
  const Direction out = direction(route.sends, communicator.rank());
  const Direction in = direction(route.receives, communicator.rank());
  const std::int64_t busy = std::max(out.indices_moved, in.indices_moved);
  return {.ranks = communicator.size(),
          .peers_maximum = communicator.maximum(in_either(out, in)),
          .messages = sum(static_cast<std::int64_t>(out.peers.size()), communicator),
          .boxes = sum(static_cast<std::int64_t>(route.sends.size()), communicator),
          .indices = sum(out.indices, communicator),
          .indices_moved = sum(out.indices_moved, communicator),
          .rank_moved_maximum = communicator.maximum(busy),
          .rank_moved_total = sum(busy, communicator)};
}

}  // namespace halocline::route
