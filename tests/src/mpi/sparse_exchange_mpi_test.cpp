#include "halocline/mpi/sparse_exchange.hpp"

#include <gtest/gtest.h>

#include <random>

namespace halocline::mpi {
namespace {

/// What a rank writes to another in a round; nothing at times.
LargeVector<std::int64_t> written(int round, int from, int to) {
  std::mt19937_64 random(static_cast<std::uint64_t>(1'000'000 * round + 1000 * from + to));
  constexpr std::array<std::size_t, 4> lengths{0, 1, 10, 100'000};  // the last one by rendezvous
  const std::size_t length = lengths[random() % lengths.size()];
  return LargeVector<std::int64_t>(length, static_cast<std::int64_t>(random() % 1000));
}

class SparseExchangeTest : public testing::Test {
 protected:
  Communicator world_ = Communicator::world();
};

TEST_F(SparseExchangeTest, letters_reach_ranks_that_do_not_know_of_them) {
  for (int round = 0; round < 50; ++round) {
    std::vector<Letter> outgoing;
    std::vector<Letter> expected;
    for (int peer = 0; peer < world_.size(); ++peer) {
      if (auto numbers = written(round, world_.rank(), peer); !numbers.empty()) {
        outgoing.push_back({.peer = peer, .numbers = std::move(numbers)});
      }
      if (auto numbers = written(round, peer, world_.rank()); !numbers.empty()) {
        expected.push_back({.peer = peer, .numbers = std::move(numbers)});
      }
    }
    ASSERT_EQ(sparse_exchange(world_, outgoing), expected) << "round " << round;
  }
}

TEST_F(SparseExchangeTest, nobody_needs_to_write) {
  EXPECT_TRUE(sparse_exchange(world_, {}).empty());
}

TEST_F(SparseExchangeTest, a_letter_may_be_empty) {
  const int next = (world_.rank() + 1) % world_.size();
  const int previous = (world_.rank() + world_.size() - 1) % world_.size();
  EXPECT_EQ(sparse_exchange(world_, {{.peer = next, .numbers = {}}}),
            (std::vector<Letter>{{.peer = previous, .numbers = {}}}));
}

}  // namespace
}  // namespace halocline::mpi
