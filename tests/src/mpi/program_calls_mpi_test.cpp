#include "halocline/mpi/program_calls.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

class ProgramCallsTest : public test::Ring {
 protected:
  static constexpr std::size_t payload_bytes = 32;

  static std::vector<std::byte> bytes_of(std::span<const double> numbers) {
    const auto bytes = std::as_bytes(numbers);
    return {bytes.begin(), bytes.end()};
  }

  ProgramCalls calls_;
};

TEST_F(ProgramCallsTest, messages_are_matched_by_tag_not_by_order) {
  const auto first = payload_of(rank_, payload_bytes, 1);
  const auto second = payload_of(rank_, payload_bytes, 2);
  std::vector<std::byte> of_tag_1(payload_bytes);
  std::vector<std::byte> of_tag_2(payload_bytes);
  calls_.start_receive(world_, of_tag_2, previous_, 2);
  calls_.start_receive(world_, of_tag_1, any_rank, 1);
  calls_.start_send(world_, first, next_, 1);
  calls_.start_synchronous_send(world_, second, next_, 2);
  calls_.wait_all(4);
  EXPECT_EQ(wrong_byte(of_tag_1, 1), std::nullopt);
  EXPECT_EQ(wrong_byte(of_tag_2, 2), std::nullopt);
}

TEST_F(ProgramCallsTest, a_completion_takes_the_oldest_request) {
  const auto payload = payload_of(rank_, payload_bytes, 3);
  std::vector<std::byte> incoming(payload_bytes);
  std::vector<std::byte> later(payload_bytes);
  for (const auto wait : {&ProgramCalls::wait, &ProgramCalls::wait_any, &ProgramCalls::wait_some}) {
    std::ranges::fill(incoming, std::byte{0});
    calls_.start_receive(world_, incoming, previous_, 1);
    calls_.start_receive(world_, later, previous_, 2);  // nothing comes for it before the wait
    calls_.start_send(world_, payload, next_, 1);
    (calls_.*wait)();
    EXPECT_EQ(wrong_byte(incoming, 3), std::nullopt);
    calls_.start_send(world_, payload, next_, 2);
    calls_.wait_all(100);  // three are left
    EXPECT_EQ(wrong_byte(later, 3), std::nullopt);
  }
}

TEST_F(ProgramCallsTest, completions_without_requests_return_at_once) {
  calls_.wait();
  calls_.wait_all(3);
  calls_.wait_any();
  calls_.wait_some();
  calls_.test();
  calls_.test_all();
  calls_.test_any();
  calls_.test_some();
}

TEST_F(ProgramCallsTest, a_test_completes_what_has_arrived_and_a_wait_may_follow) {
  const auto payload = payload_of(rank_, payload_bytes, 4);
  for (const auto test : {&ProgramCalls::test, &ProgramCalls::test_all, &ProgramCalls::test_any,
                          &ProgramCalls::test_some}) {
    std::vector<std::byte> incoming(payload_bytes);
    calls_.start_receive(world_, incoming, previous_, 1);
    calls_.start_send(world_, payload, next_, 1);
    (calls_.*test)();
    calls_.wait_all(2);
    EXPECT_EQ(wrong_byte(incoming, 4), std::nullopt);
  }
}

TEST_F(ProgramCallsTest, a_probe_sees_any_tag_of_the_peer) {
  const auto payload = payload_of(rank_, payload_bytes, 5);
  std::vector<std::byte> incoming(payload_bytes);
  EXPECT_FALSE(ProgramCalls::probe(world_, previous_));
  world_.barrier();
  calls_.start_send(world_, payload, next_, 77);
  while (!ProgramCalls::probe(world_, previous_)) {
  }
  ProgramCalls::receive(world_, incoming, previous_, 77);
  calls_.wait();
  EXPECT_EQ(wrong_byte(incoming, 5), std::nullopt);
}

TEST_F(ProgramCallsTest, blocking_calls_carry_their_tags) {
  using Send = void (*)(const Communicator&, std::span<const std::byte>, int, int);
  const auto payload = payload_of(rank_, payload_bytes, 6);
  std::vector<std::byte> incoming(payload_bytes);
  for (const Send send :
       {ProgramCalls::send, ProgramCalls::synchronous_send, ProgramCalls::ready_send}) {
    std::ranges::fill(incoming, std::byte{0});
    calls_.start_receive(world_, incoming, previous_, 9);
    world_.barrier();  // a ready send needs the posted receive
    send(world_, payload, next_, 9);
    calls_.wait();
    EXPECT_EQ(wrong_byte(incoming, 6), std::nullopt);
  }
  std::ranges::fill(incoming, std::byte{0});
  ProgramCalls::send_receive(world_, payload, next_, 3, incoming, previous_, 3);
  EXPECT_EQ(wrong_byte(incoming, 6), std::nullopt);
}

TEST_F(ProgramCallsTest, prepared_requests_are_started_by_number) {
  auto payload = payload_of(rank_, payload_bytes, 1);
  std::vector<std::byte> incoming(payload_bytes);
  calls_.prepare_send(world_, payload, next_, 4);
  calls_.prepare_receive(world_, incoming, previous_, 4);
  calls_.prepare_synchronous_send(world_, payload, next_, 4);
  for (const std::size_t send : {std::size_t{0}, std::size_t{2}, std::size_t{0}}) {
    std::ranges::fill(incoming, std::byte{0});
    calls_.start(1);
    calls_.start_all(std::array{send});
    calls_.start_all({});
    calls_.wait_all(2);
    EXPECT_EQ(wrong_byte(incoming, 1), std::nullopt);
  }
  calls_.free_prepared();
}

TEST_F(ProgramCallsTest, reductions_sum_numbers_and_join_other_bytes) {
  const double below = rank_ * (rank_ - 1) / 2.0;
  const double all = world_.size() * (world_.size() - 1) / 2.0;
  const auto own = bytes_of(std::array{1.0 * rank_});
  std::vector<std::byte> sum(own.size());
  ProgramCalls::all_reduce(world_, own, sum);
  EXPECT_EQ(sum, bytes_of(std::array{all}));
  ProgramCalls::scan(world_, own, sum);
  EXPECT_EQ(sum, bytes_of(std::array{below + rank_}));
  ProgramCalls::exclusive_scan(world_, own, sum);
  if (rank_ > 0) {  // rank 0's is undefined
    EXPECT_EQ(sum, bytes_of(std::array{below}));
  }
  ProgramCalls::reduce(world_, own, sum, 0);
  if (rank_ == 0) {
    EXPECT_EQ(sum, bytes_of(std::array{all}));
  }
  calls_.start_all_reduce(world_, own, sum);
  calls_.wait();
  EXPECT_EQ(sum, bytes_of(std::array{all}));

  const std::array bit{static_cast<std::byte>(1U << static_cast<unsigned>(rank_))};
  std::array<std::byte, 1> bits{};
  ProgramCalls::all_reduce(world_, bit, bits);
  EXPECT_EQ(bits[0], static_cast<std::byte>((1U << static_cast<unsigned>(world_.size())) - 1U));
}

TEST_F(ProgramCallsTest, started_collectives_complete_like_messages) {
  const int last = world_.size() - 1;
  const auto ranks = static_cast<std::size_t>(world_.size());
  auto payload = payload_of(rank_, payload_bytes, 8);
  const std::vector<std::byte> outgoing(ranks, static_cast<std::byte>(rank_ + 1));
  std::vector<std::byte> incoming(ranks);
  calls_.start_barrier(world_);
  calls_.start_broadcast(world_, payload, last);
  calls_.start_all_to_all(world_, outgoing, incoming);
  calls_.wait_all(3);
  EXPECT_EQ(payload, payload_of(last, payload_bytes, 8));
  std::vector<std::byte> expected;
  for (int rank = 0; rank < world_.size(); ++rank) {
    expected.push_back(static_cast<std::byte>(rank + 1));
  }
  EXPECT_EQ(incoming, expected);
}

}  // namespace
}  // namespace halocline::mpi
