#include "halocline/protocol/access.hpp"

#include <map>

#include "halocline/mpi/requests.hpp"

namespace halocline::protocol {
namespace {

/// The messages `moved` by this rank, with their places in the windows of the peers, whom it tells
/// the places of those that they move: `exposed`.
template <class Bytes, class Exposed>
std::vector<Remote<Bytes>> remote(const mpi::Communicator& communicator,
                                  const std::vector<Message<Bytes>>& moved,
                                  const std::vector<Message<Exposed>>& exposed) {
  std::vector<Told> told;
  for (const Message<Exposed>& message : exposed) {
    told.push_back({.peer = message.peer, .number = message.offset_bytes});
  }
  std::vector<int> expected;
  for (const Message<Bytes>& message : moved) {
    expected.push_back(message.peer);
  }
  const std::vector<std::uint64_t> offsets = swap_numbers(communicator, told, expected);
  std::vector<Remote<Bytes>> all;
  for (std::size_t index = 0; index < moved.size(); ++index) {
    all.push_back({.peer = moved[index].peer,
                   .payload = moved[index].payload,
                   .offset_bytes = offsets[index]});
  }
  return all;
}

}  // namespace

std::vector<std::uint64_t> swap_numbers(const mpi::Communicator& communicator,
                                        const std::vector<Told>& told,
                                        const std::vector<int>& expected) {
  std::map<int, std::vector<std::uint64_t>> outgoing;
  for (const Told& each : told) {
    outgoing[each.peer].push_back(each.number);
  }
  std::map<int, std::vector<std::uint64_t>> incoming;
  for (const int peer : expected) {
    incoming[peer].push_back(0);
  }
  mpi::Requests requests;
  for (auto& [peer, numbers] : incoming) {
    requests.receive(communicator, std::as_writable_bytes(std::span(numbers)), peer);
  }
  for (const auto& [peer, numbers] : outgoing) {
    requests.send(communicator, std::as_bytes(std::span(numbers)), peer);
  }
  requests.wait_all();
  std::map<int, std::size_t> taken;
  std::vector<std::uint64_t> numbers;
  for (const int peer : expected) {
    numbers.push_back(incoming[peer][taken[peer]++]);
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
