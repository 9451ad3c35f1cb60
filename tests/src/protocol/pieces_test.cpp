#include "halocline/protocol/pieces.hpp"

#include <gtest/gtest.h>

#include <array>
#include <climits>

#include "halocline/base/error.hpp"

namespace halocline::protocol {
namespace {

using Bytes = std::array<std::byte, 12>;

Bytes counting() {
  Bytes bytes{};
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    bytes[index] = static_cast<std::byte>(index);
  }
  return bytes;
}

Outgoing to(int peer, std::span<const std::byte> payload) {
  return {.peer = peer, .payload = payload};
}

Incoming from(int peer, std::span<std::byte> payload) { return {.peer = peer, .payload = payload}; }

std::span<const std::byte> part(const Bytes& bytes, std::size_t first, std::size_t count) {
  return std::span(bytes).subspan(first, count);
}

TEST(PiecesTest, messages_of_one_piece_each_stay_where_they_are) {
  const Bytes bytes = counting();
  const OutgoingPieces outgoing({to(3, part(bytes, 0, 2)), to(1, part(bytes, 4, 5))}, {0, 1, 3});
  EXPECT_EQ(outgoing.pieces().base, bytes.data());
  EXPECT_EQ(outgoing.pieces().counts, (std::vector<int>{0, 5, 2}));
  EXPECT_EQ(outgoing.pieces().offsets, (std::vector<int>{0, 4, 0}));
}

TEST(PiecesTest, messages_to_a_peer_that_follow_each_other_are_one_piece) {
  const Bytes bytes = counting();
  const OutgoingPieces outgoing({to(0, part(bytes, 2, 3)), to(0, {}), to(0, part(bytes, 5, 4))},
                                {0});
  EXPECT_EQ(outgoing.pieces().base, bytes.data() + 2);
  EXPECT_EQ(outgoing.pieces().counts, std::vector<int>{7});
}

TEST(PiecesTest, messages_to_a_peer_that_lie_apart_are_collected_in_their_order) {
  const Bytes bytes = counting();
  OutgoingPieces outgoing(
      {to(5, part(bytes, 10, 1)), to(2, part(bytes, 7, 2)), to(2, part(bytes, 0, 1))}, {2, 5});
  outgoing.collect();
  const mpi::Pieces& pieces = outgoing.pieces();
  EXPECT_EQ(pieces.counts, (std::vector<int>{3, 1}));
  EXPECT_EQ(pieces.offsets, (std::vector<int>{0, 3}));
  const std::vector<std::byte> collected(pieces.base, pieces.base + 4);
  EXPECT_EQ(collected, (std::vector<std::byte>{bytes[7], bytes[8], bytes[0], bytes[10]}));
}

TEST(PiecesTest, what_arrives_for_messages_that_lie_apart_is_delivered_to_them) {
  Bytes bytes{};
  IncomingPieces incoming(
      {from(1, std::span(bytes).subspan(6, 2)), from(1, std::span(bytes).subspan(0, 1))}, {1});
  const Bytes arrived = counting();
  std::copy_n(arrived.begin() + 1, 3, incoming.pieces().base);
  incoming.deliver();
  Bytes expected{};
  expected[6] = arrived[1];
  expected[7] = arrived[2];
  expected[0] = arrived[3];
  EXPECT_EQ(bytes, expected);
}

TEST(PiecesTest, a_rank_without_messages_has_pieces_of_nothing) {
  const IncomingPieces incoming({}, {0, 1});
  EXPECT_EQ(incoming.pieces().counts, (std::vector<int>{0, 0}));
  EXPECT_EQ(incoming.pieces().offsets, (std::vector<int>{0, 0}));
}

TEST(PiecesTest, more_than_mpi_can_count_is_refused) {
  std::byte byte{};
  const std::span<std::byte> huge(&byte, std::size_t{INT_MAX} + 1);  // never read
  EXPECT_THROW(IncomingPieces({from(0, huge)}, {0}), Error);
}

TEST(PiecesTest, peers_are_reported_once_and_in_order) {
  const std::vector<Outgoing> messages{to(4, {}), to(1, {}), to(4, {})};
  EXPECT_EQ(peers_of(messages), (std::vector<int>{1, 4}));
}

}  // namespace
}  // namespace halocline::protocol
