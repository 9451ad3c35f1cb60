#include "halocline/protocol/access.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "halocline/mpi/requests.hpp"

namespace halocline::protocol {
namespace {

/// The messages `moved` by this rank, with their offsets in the peers' windows. In return it sends
/// the peers the offsets of the messages that they move: `exposed`.
template <class Bytes, class Exposed>
std::vector<Remote<Bytes>> remote(const mpi::Communicator& communicator,
                                  const std::vector<Message<Bytes>>& moved,
                                  const std::vector<Message<Exposed>>& exposed) {
  std::vector<NumberFor> own_offsets;
  for (const Message<Exposed>& message : exposed) {
    own_offsets.push_back({.peer = message.peer, .number = message.offset_bytes});
  }
  std::vector<int> expected;
  for (const Message<Bytes>& message : moved) {
    expected.push_back(message.peer);
  }
  const std::vector<std::uint64_t> offsets = swap_numbers(communicator, own_offsets, expected);
  std::vector<Remote<Bytes>> all;
  for (std::size_t index = 0; index < moved.size(); ++index) {
    all.push_back({.peer = moved[index].peer,
                   .payload = moved[index].payload,
                   .offset_bytes = offsets[index]});
  }
  return all;
}

constexpr std::size_t most_numbers = std::size_t{1} << 24U;  // in one message

template <class Number>
std::vector<std::span<Number>> in_messages(std::span<Number> numbers) {
  std::vector<std::span<Number>> parts;
  while (!numbers.empty()) {
    parts.push_back(numbers.first(std::min(numbers.size(), most_numbers)));
    numbers = numbers.subspan(parts.back().size());
  }
  return parts;
}

}  // namespace

std::vector<std::uint64_t> swap_numbers(const mpi::Communicator& communicator,
                                        const std::vector<NumberFor>& outgoing,
                                        const std::vector<int>& expected) {
  std::map<int, std::vector<std::uint64_t>> to;
  for (const NumberFor& number_for : outgoing) {
    to[number_for.peer].push_back(number_for.number);
  }
  std::map<int, std::vector<std::uint64_t>> from;
  for (const int peer : expected) {
    from[peer].push_back(0);
  }
  mpi::Requests requests;
  for (auto& [peer, numbers] : from) {
    for (const auto& part : in_messages(std::span(numbers))) {
      requests.receive(communicator, std::as_writable_bytes(part), peer);
    }
  }
  for (const auto& [peer, numbers] : to) {
    for (const auto& part : in_messages(std::span(numbers))) {
      requests.send(communicator, std::as_bytes(part), peer);
    }
  }
  requests.wait_all();
  std::map<int, std::size_t> taken;
  std::vector<std::uint64_t> numbers;
  for (const int peer : expected) {
    numbers.push_back(from[peer][taken[peer]++]);
  }
  return numbers;
}

Puts::Puts(const mpi::Communicator& communicator, const Messages& messages)
    : peers_{.targets = peers_of(messages.sends), .origins = peers_of(messages.receives)},
      puts_(remote(communicator, messages.sends, messages.receives)) {}

Gets::Gets(const mpi::Communicator& communicator, const Messages& messages)
    : peers_{.targets = peers_of(messages.receives), .origins = peers_of(messages.sends)},
      gets_(remote(communicator, messages.receives, messages.sends)) {}

}  // namespace halocline::protocol
