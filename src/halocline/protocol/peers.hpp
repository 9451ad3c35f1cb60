#pragma once

#include <set>
#include <vector>

namespace halocline::protocol {

/// The distinct peers of some messages, in order.
template <class Message>
std::vector<int> peers_of(const std::vector<Message>& messages) {
  std::set<int> peers;
  for (const Message& message : messages) {
    peers.insert(message.peer);
  }
  return {peers.begin(), peers.end()};
}

}  // namespace halocline::protocol
