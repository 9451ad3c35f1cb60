#pragma once

#include <set>
#include <vector>

namespace halocline::protocol {

/// The peers of some messages, each once, in order.
template <class Message>
std::vector<int> peers_of(const std::vector<Message>& messages) {
  std::set<int> peers;
  for (const Message& message : messages) {
    peers.insert(message.peer);
  }
  return {peers.begin(), peers.end()};
}

}  // namespace halocline::protocol
