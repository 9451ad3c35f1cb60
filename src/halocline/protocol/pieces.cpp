#include "halocline/protocol/pieces.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::protocol {
namespace {

constexpr std::size_t most_bytes = INT_MAX;

/// The non-empty messages, sorted by peer; those of one peer keep their order.
template <class Message>
std::vector<Message> by_peer(std::vector<Message> messages) {
  std::erase_if(messages, [](const Message& message) { return message.payload.empty(); });
  std::ranges::stable_sort(messages, {}, &Message::peer);
  return messages;
}

/// The pieces with every peer's first message at `offset(message)`; empty where a peer's messages
/// are not contiguous or MPI cannot count that far.
template <class Message, class Offset>
std::optional<mpi::Pieces> pieces_at(const std::vector<Message>& messages,
                                     const std::vector<int>& peers, Offset offset) {
  mpi::Pieces pieces{.base = nullptr,
                     .counts = std::vector<int>(peers.size(), 0),
                     .offsets = std::vector<int>(peers.size(), 0)};
  for (const Message& message : messages) {
    const std::size_t at = position(message.peer, peers);
    const std::size_t begin = offset(message);
    const auto count = static_cast<std::size_t>(pieces.counts[at]);
    if (count == 0 && begin <= most_bytes) {
      pieces.offsets[at] = static_cast<int>(begin);
    } else if (begin != static_cast<std::size_t>(pieces.offsets[at]) + count) {
      return std::nullopt;
    }
    if (count + message.payload.size() > most_bytes) {
      return std::nullopt;
    }
    pieces.counts[at] = static_cast<int>(count + message.payload.size());
  }
  return pieces;
}

std::uintptr_t address_of(const std::byte* byte) {
  return reinterpret_cast<std::uintptr_t>(byte);  // of different objects: must not be subtracted
}

/// The pieces where the messages lie; empty where a peer's have gaps or MPI cannot count that far.
template <class Message>
std::optional<mpi::Pieces> in_place(const std::vector<Message>& messages,
                                    const std::vector<int>& peers) {
  const std::byte* lowest = nullptr;
  for (const Message& message : messages) {
    const std::byte* begin = message.payload.data();
    lowest = lowest == nullptr || address_of(begin) < address_of(lowest) ? begin : lowest;
  }
  auto pieces = pieces_at(messages, peers, [lowest](const Message& message) {
    return address_of(message.payload.data()) - address_of(lowest);
  });
  if (pieces) {
    pieces->base = const_cast<std::byte*>(lowest);  // MPI writes to incoming pieces only
  }
  return pieces;
}

/// The pieces contiguously in a buffer that is yet to be allocated.
template <class Message>
mpi::Pieces one_after_another(const std::vector<Message>& messages, const std::vector<int>& peers) {
  std::size_t end = 0;
  auto pieces = pieces_at(messages, peers, [&end](const Message& message) {
    const std::size_t begin = end;
    end += message.payload.size();
    return begin;
  });
  if (!pieces) {
    throw Error(
        "the messages to or from all peers have more bytes in total than one collective carries; "
        "allowed: up to " +
        std::to_string(most_bytes) +
        "; use isend_irecv, send field by field, use more ranks, or shared memory within a node");
  }
  return *pieces;
}

/// The same in `buffer`, which grows to hold them.
template <class Message>
mpi::Pieces in_buffer(const std::vector<Message>& messages, const std::vector<int>& peers,
                      std::vector<std::byte>& buffer) {
  mpi::Pieces pieces = one_after_another(messages, peers);
  std::size_t size_bytes = 0;
  for (const Message& message : messages) {
    size_bytes += message.payload.size();
  }
  buffer.resize(size_bytes);
  pieces.base = buffer.data();
  return pieces;
}

/// Takes messages as they come, not yet by peer.
template <class Message>
void require_countable(const std::vector<Message>& messages, const std::vector<int>& peers) {
  const std::vector<Message> sorted = by_peer(messages);
  if (!in_place(sorted, peers)) {
    one_after_another(sorted, peers);
  }
}

}  // namespace

std::size_t position(int peer, const std::vector<int>& peers) {
  return static_cast<std::size_t>(std::ranges::lower_bound(peers, peer) - peers.begin());
}

std::vector<int> everyone(const mpi::Communicator& communicator) {
  std::vector<int> peers(static_cast<std::size_t>(communicator.size()));
  std::iota(peers.begin(), peers.end(), 0);
  return peers;
}

void require_pieces(const std::vector<Outgoing>& messages, const std::vector<int>& peers) {
  require_countable(messages, peers);
}

void require_pieces(const std::vector<Incoming>& messages, const std::vector<int>& peers) {
  require_countable(messages, peers);
}

OutgoingPieces::OutgoingPieces(std::vector<Outgoing> messages, const std::vector<int>& peers)
    : messages_(by_peer(std::move(messages))) {
  const auto placed = in_place(messages_, peers);
  pieces_ = placed ? *placed : in_buffer(messages_, peers, buffer_);
}

void OutgoingPieces::collect() {
  if (buffer_.empty()) {
    return;
  }
  std::byte* next = buffer_.data();
  for (const Outgoing& message : messages_) {
    std::memcpy(next, message.payload.data(), message.payload.size());
    next += message.payload.size();
  }
}

IncomingPieces::IncomingPieces(std::vector<Incoming> messages, const std::vector<int>& peers)
    : messages_(by_peer(std::move(messages))) {
  const auto placed = in_place(messages_, peers);
  pieces_ = placed ? *placed : in_buffer(messages_, peers, buffer_);
}

void IncomingPieces::deliver() {
  if (buffer_.empty()) {
    return;
  }
  const std::byte* next = buffer_.data();
  for (const Incoming& message : messages_) {
    std::memcpy(message.payload.data(), next, message.payload.size());
    next += message.payload.size();
  }
}

}  // namespace halocline::protocol
