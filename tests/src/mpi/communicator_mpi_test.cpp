#include "halocline/mpi/communicator.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/mpi/pieces.hpp"
#include "halocline/mpi/requests.hpp"
#include "support/problem.hpp"
#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

class CommunicatorTest : public test::Ring {
 protected:
  /// Sends to the next rank by `send`, while the receive from the previous one is posted.
  void expect_arrives(const std::function<void(std::span<const std::byte>)>& send) {
    for (const std::size_t size_bytes : {std::size_t{0}, std::size_t{5}, std::size_t{1} << 20U}) {
      const auto outgoing = payload_of(rank_, size_bytes);
      std::vector<std::byte> incoming(size_bytes);
      Requests receive;
      receive.receive(world_, incoming, previous_);
      world_.barrier();  // a ready send needs the posted receive
      send(outgoing);
      receive.wait_all();
      EXPECT_EQ(wrong_byte(incoming), std::nullopt) << size_bytes << " bytes";
    }
  }
};

TEST_F(CommunicatorTest, each_kind_of_send_reaches_the_peer) {
  expect_arrives([&](auto payload) { world_.send(payload, next_); });
  expect_arrives([&](auto payload) { world_.synchronous_send(payload, next_); });
  expect_arrives([&](auto payload) { world_.ready_send(payload, next_); });
}

TEST_F(CommunicatorTest, a_buffered_send_returns_before_its_receive_is_posted) {
  constexpr int rounds = 40;  // more than the buffer holds: it has to be emptied in between
  constexpr std::size_t size_bytes = 50'000;
  BufferedSends& buffer = world_.buffered_sends();
  const std::size_t reserved = buffer.reserve(std::array{size_bytes});
  for (int round = 0; round < rounds; ++round) {
    const auto outgoing = payload_of(rank_, size_bytes, round);
    std::vector<std::byte> incoming(size_bytes);
    buffer.begin(reserved);
    world_.buffered_send(outgoing, next_);
    world_.receive(incoming, previous_);
    buffer.end();
    ASSERT_EQ(wrong_byte(incoming, round), std::nullopt) << "round " << round;
  }
  buffer.release(reserved);
}

TEST_F(CommunicatorTest, buffered_sends_beyond_two_gibibytes_are_refused) {
  const std::string problem =
      test::problem([&] { world_.buffered_sends().reserve(std::array{std::size_t{1} << 31U}); });
  EXPECT_NE(problem.find("allowed: up to 2147483647"), std::string::npos) << problem;
}

TEST_F(CommunicatorTest, send_receive_passes_payload_around_the_ring) {
  const auto outgoing = payload_of(rank_, 100'000);
  std::vector<std::byte> incoming(100'000);
  world_.send_receive(outgoing, next_, incoming, previous_);
  EXPECT_EQ(wrong_byte(incoming), std::nullopt);
}

TEST_F(CommunicatorTest, no_rank_neither_receives_nor_sends) {
  const auto outgoing = payload_of(rank_, 8);
  std::vector<std::byte> incoming(8, std::byte{7});
  world_.send_receive(outgoing, no_rank, incoming, no_rank);
  EXPECT_EQ(incoming, std::vector<std::byte>(8, std::byte{7}));
}

TEST_F(CommunicatorTest, a_notice_never_matches_a_payloads_receive) {
  std::vector<std::byte> incoming(16);
  Requests receive;
  receive.receive(world_, incoming, previous_);
  Requests notice;
  notice.send_notice(world_, next_);
  while (!world_.notified(previous_)) {  // sent first, and here while the payload is not
  }
  Requests send;
  const auto outgoing = payload_of(rank_, 16);
  send.send(world_, outgoing, next_);
  receive.wait_all();
  EXPECT_EQ(wrong_byte(incoming), std::nullopt);
  EXPECT_TRUE(world_.notified(previous_));
  world_.receive_notice(previous_);
  EXPECT_FALSE(world_.notified(previous_));
  send.wait_all();
  notice.wait_all();
  world_.barrier();
}

TEST_F(CommunicatorTest, a_sleeping_rank_is_woken_by_a_notice) {
  Requests notice;
  notice.send_notice(world_, next_);
  world_.sleep_until_notified(previous_);
  notice.wait_all();
  world_.barrier();
  EXPECT_FALSE(world_.notified(previous_));
}

TEST_F(CommunicatorTest, a_rank_shows_life_between_its_naps) {
  Requests notice;
  notice.send_notice(world_, next_);
  int naps = 0;
  world_.sleep_until_notified(previous_, [&naps] { ++naps; });
  EXPECT_GE(naps, 1);
  notice.wait_all();
}

TEST_F(CommunicatorTest, messages_of_a_duplicate_stay_apart) {
  const Communicator copy = world_.duplicate();
  EXPECT_TRUE(copy.same_ranks(world_));
  const auto first = payload_of(rank_, 64, 1);
  const auto second = payload_of(rank_, 64, 2);
  std::vector<std::byte> of_world(64);
  std::vector<std::byte> of_copy(64);
  Requests receives;
  receives.receive(world_, of_world, previous_);
  receives.receive(copy, of_copy, previous_);
  Requests sends;
  sends.send(copy, second, next_);  // in the other order
  sends.send(world_, first, next_);
  receives.wait_all();
  sends.wait_all();
  EXPECT_EQ(wrong_byte(of_world, 1), std::nullopt);
  EXPECT_EQ(wrong_byte(of_copy, 2), std::nullopt);
}

TEST_F(CommunicatorTest, parts_have_the_ranks_of_a_colour_in_their_order) {
  const Communicator part = world_.part(rank_ % 2);
  EXPECT_EQ(part.size(), (world_.size() + 1 - rank_ % 2) / 2);
  EXPECT_EQ(part.rank(), rank_ / 2);
  EXPECT_EQ(part.same_ranks(world_), world_.size() == 1);
  const int of_evens = 2 * static_cast<int>(part.sum(static_cast<std::uint64_t>(rank_)));
  EXPECT_EQ(of_evens, part.size() * (2 * (part.size() - 1) + 2 * (rank_ % 2)));
}

TEST_F(CommunicatorTest, a_split_leaves_ranks_of_negative_colour_out) {
  const std::optional<Communicator> first = world_.split(rank_ == 0 ? 3 : -1);
  ASSERT_EQ(first.has_value(), rank_ == 0);
  if (first) {
    EXPECT_EQ(first->size(), 1);
  }
}

TEST_F(CommunicatorTest, a_moved_communicator_is_used_like_the_first) {
  Communicator part = world_.part(0);
  Communicator moved = world_.part(rank_);
  moved = std::move(part);
  EXPECT_EQ(moved.size(), world_.size());
  EXPECT_TRUE(moved.same_ranks(world_));
}

TEST_F(CommunicatorTest, every_rank_of_one_host_is_on_one_node) {
  EXPECT_TRUE(world_.node().same_ranks(world_));
}

TEST_F(CommunicatorTest, a_text_reaches_all_ranks_from_any_root) {
  const int last = world_.size() - 1;
  for (const std::string& text : {std::string{}, std::string(100'000, 'x')}) {
    EXPECT_EQ(world_.broadcast(rank_ == last ? text : "another", last), text);
  }
  EXPECT_EQ(world_.broadcast(std::int64_t{rank_ == 0 ? -5'000'000'000 : 1}), -5'000'000'000);
}

TEST_F(CommunicatorTest, texts_and_numbers_of_all_are_gathered_in_order) {
  const auto text_of = [](int rank) {
    return std::string(static_cast<std::size_t>(3 * rank), static_cast<char>('a' + rank));
  };
  std::vector<std::string> texts;
  std::vector<double> rows;
  std::vector<int> squares;
  for (int rank = 0; rank < world_.size(); ++rank) {
    texts.push_back(text_of(rank));
    rows.insert(rows.end(), {0.5 * rank, -1.0});
    squares.push_back(rank * rank);
  }
  const bool root = rank_ == 0;
  EXPECT_EQ(world_.gather(text_of(rank_)), root ? texts : std::vector<std::string>{});
  EXPECT_EQ(world_.gather(std::array{0.5 * rank_, -1.0}), root ? rows : std::vector<double>{});
  EXPECT_EQ(world_.all_gather(rank_ * rank_), squares);
}

TEST_F(CommunicatorTest, maxima_and_sums_are_over_all_ranks) {
  const int last = world_.size() - 1;
  std::array<std::uint8_t, 3> flags{0, static_cast<std::uint8_t>(rank_ == last ? 1 : 0),
                                    static_cast<std::uint8_t>(rank_ == 0 ? 1 : 0)};
  world_.maximum(flags);
  EXPECT_EQ(flags, (std::array<std::uint8_t, 3>{0, 1, 1}));
  EXPECT_EQ(world_.maximum(std::int64_t{-10 - rank_}), -10);
  const std::uint64_t highest_bit = std::uint64_t{1} << 63U;
  const auto ranks = static_cast<std::uint64_t>(world_.size());
  EXPECT_EQ(world_.sum(highest_bit + 1), (ranks % 2 * highest_bit) + ranks);
}

TEST_F(CommunicatorTest, a_graphs_pieces_follow_its_edges) {
  const Communicator graph = world_.graph(std::array{previous_}, std::array{next_});
  std::array<std::byte, 3> outgoing{};
  outgoing.fill(static_cast<std::byte>(rank_));
  std::array<std::byte, 3> incoming{};
  graph.neighbour_all_to_all({.base = outgoing.data(), .counts = {3}, .offsets = {0}},
                             {.base = incoming.data(), .counts = {3}, .offsets = {0}});
  EXPECT_TRUE(std::ranges::all_of(
      incoming, [&](std::byte byte) { return byte == static_cast<std::byte>(previous_); }));
}

TEST_F(CommunicatorTest, pieces_of_all_lengths_reach_all_ranks) {
  // To rank r go r + 1 bytes that name the sender.
  const auto ranks = static_cast<std::size_t>(world_.size());
  Pieces outgoing{.base = nullptr, .counts = std::vector<int>(ranks), .offsets = {}};
  std::iota(outgoing.counts.begin(), outgoing.counts.end(), 1);
  outgoing.offsets.assign(ranks, 0);  // all from the same bytes
  std::vector<std::byte> sent(ranks, static_cast<std::byte>(rank_ + 1));
  outgoing.base = sent.data();
  Pieces incoming{.base = nullptr, .counts = std::vector<int>(ranks, rank_ + 1), .offsets = {}};
  std::vector<std::byte> expected;
  for (int rank = 0; rank < world_.size(); ++rank) {
    incoming.offsets.push_back(rank * (rank_ + 1));
    expected.insert(expected.end(), static_cast<std::size_t>(rank_ + 1),
                    static_cast<std::byte>(rank + 1));
  }
  std::vector<std::byte> received(expected.size());
  incoming.base = received.data();
  world_.all_to_all(outgoing, incoming);
  EXPECT_EQ(received, expected);
}

TEST_F(CommunicatorTest, a_programs_own_communicator_is_duplicated_or_refused) {
  EXPECT_TRUE(Communicator::duplicate_of(MPI_COMM_WORLD).same_ranks(world_));
  const std::string none = test::problem([] { Communicator::duplicate_of(MPI_COMM_NULL); });
  EXPECT_NE(none.find("MPI_COMM_NULL"), std::string::npos) << none;
  if (world_.size() > 1) {
    const Communicator half = world_.part(rank_ % 2);
    MPI_Comm between = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Intercomm_create(half.handle(), 0, MPI_COMM_WORLD, 1 - rank_ % 2, 0, &between),
              MPI_SUCCESS);
    const std::string groups = test::problem([&] { Communicator::duplicate_of(between); });
    EXPECT_NE(groups.find("merge them with MPI_Intercomm_merge"), std::string::npos) << groups;
    MPI_Comm_free(&between);
  }
}

}  // namespace
}  // namespace halocline::mpi
