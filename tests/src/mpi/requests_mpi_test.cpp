#include "halocline/mpi/requests.hpp"

#include <algorithm>

#include "halocline/mpi/capability.hpp"
#include "halocline/mpi/pieces.hpp"
#include "support/problem.hpp"
#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

constexpr int rounds = 3;
constexpr std::size_t small_bytes = 96;
constexpr std::size_t large_bytes = std::size_t{1} << 20U;  // by rendezvous

class RequestsTest : public test::Ring {
 protected:
  /// Writes this rank's payload of the round and spoils what it received, where they lie.
  void write(int round) {
    std::ranges::copy(payload_of(rank_, small_bytes, round), outgoing_.begin());
    std::ranges::fill(incoming_, std::byte{0xee});
  }

  /// A piece to the next rank and one from the previous, among those of all ranks.
  Pieces pieces(std::vector<std::byte>& payload, int peer) const {
    const auto ranks = static_cast<std::size_t>(world_.size());
    Pieces pieces{.base = payload.data(),
                  .counts = std::vector<int>(ranks, 0),
                  .offsets = std::vector<int>(ranks, 0)};
    pieces.counts[static_cast<std::size_t>(peer)] = static_cast<int>(payload.size());
    return pieces;
  }

  std::vector<std::byte> outgoing_ = std::vector<std::byte>(small_bytes);
  std::vector<std::byte> incoming_ = std::vector<std::byte>(small_bytes);
};

TEST_F(RequestsTest, many_messages_under_way_arrive_in_the_order_of_their_sends) {
  constexpr int messages = 20;
  std::vector<std::vector<std::byte>> incoming(messages);
  std::vector<std::vector<std::byte>> outgoing(messages);
  Requests requests;
  for (int message = 0; message < messages; ++message) {
    const auto at = static_cast<std::size_t>(message);
    const std::size_t size_bytes = message % 2 == 0 ? small_bytes : large_bytes;
    outgoing[at] = payload_of(rank_, size_bytes, message);
    incoming[at].resize(size_bytes);
    requests.receive(world_, incoming[at], previous_);
    requests.send(world_, outgoing[at], next_);
  }
  requests.wait_all();
  for (int message = 0; message < messages; ++message) {
    EXPECT_EQ(wrong_byte(incoming[static_cast<std::size_t>(message)], message), std::nullopt)
        << "message " << message;
  }
  requests.wait_all();  // nothing is left
}

TEST_F(RequestsTest, persistent_messages_carry_what_the_buffers_hold_at_each_start) {
  Requests requests;
  requests.prepare_receive(world_, incoming_, previous_);
  requests.prepare_send(world_, outgoing_, next_);
  for (int round = 0; round < rounds; ++round) {
    write(round);
    requests.start_all();
    requests.finish_all();
    ASSERT_EQ(wrong_byte(incoming_, round), std::nullopt) << "round " << round;
  }
}

TEST_F(RequestsTest, nothing_prepared_can_be_started_and_finished) {
  Requests none;
  none.start_all();
  none.finish_all();
  none.wait_all();
}

TEST_F(RequestsTest, isendrecv_passes_payload_around_the_ring_or_names_the_standard) {
  write(1);
  Requests requests;
  const auto exchange = [&] {
    requests.send_receive(world_, outgoing_, next_, incoming_, previous_);
  };
  if (!missing(Need::nonblocking_sendrecv).empty()) {
    EXPECT_NE(test::problem(exchange).find("came with MPI 4.0"), std::string::npos);
    return;
  }
  exchange();
  requests.wait_all();
  EXPECT_EQ(wrong_byte(incoming_, 1), std::nullopt);
}

TEST_F(RequestsTest, a_partitioned_message_is_whole_whatever_the_order_of_its_partitions) {
  constexpr int partitions = 4;
  Requests requests;
  if (!missing(Need::partitioned_messages).empty()) {
    EXPECT_NE(test::problem([&] {
                requests.prepare_partitioned_send(world_, outgoing_, partitions, next_);
              }).find("came with MPI 4.0"),
              std::string::npos);
    return;
  }
  if (!partitioned_unusable(1).empty()) {
    EXPECT_GT(world_.size(), 2);  // where Open MPI 5 hangs
    return;
  }
  requests.prepare_partitioned_receive(world_, incoming_, partitions, previous_);
  requests.prepare_partitioned_send(world_, outgoing_, partitions, next_);
  for (int round = 0; round < rounds; ++round) {
    write(round);
    requests.start_all();
    for (const int partition : {2, 0, 3, 1}) {
      requests.ready(1, partition);
    }
    requests.finish_all();
    ASSERT_EQ(wrong_byte(incoming_, round), std::nullopt) << "round " << round;
  }
}

TEST_F(RequestsTest, a_nonblocking_all_to_all_may_overlap_messages) {
  write(1);
  std::vector<std::byte> message = payload_of(rank_, large_bytes, 2);
  std::vector<std::byte> arrived(large_bytes);
  const Communicator collective = world_.duplicate();
  Requests requests;
  requests.all_to_all(collective, pieces(outgoing_, next_), pieces(incoming_, previous_));
  requests.receive(world_, arrived, previous_);
  requests.send(world_, message, next_);
  requests.wait_all();
  EXPECT_EQ(wrong_byte(incoming_, 1), std::nullopt);
  EXPECT_EQ(wrong_byte(arrived, 2), std::nullopt);
}

TEST_F(RequestsTest, persistent_all_to_alls_run_again_or_name_the_standard) {
  const Pieces to = pieces(outgoing_, next_);
  const Pieces from = pieces(incoming_, previous_);
  Requests requests;
  if (!missing(Need::persistent_collectives).empty()) {
    EXPECT_NE(test::problem([&] {
                requests.prepare_all_to_all(world_, to, from);
              }).find("came with MPI 4.0"),
              std::string::npos);
    return;
  }
  requests.prepare_all_to_all(world_, to, from);
  for (int round = 0; round < rounds; ++round) {
    write(round);
    requests.start_all();
    requests.finish_all();
    ASSERT_EQ(wrong_byte(incoming_, round), std::nullopt) << "round " << round;
  }
}

}  // namespace
}  // namespace halocline::mpi
