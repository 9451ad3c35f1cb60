#include "halocline/mpi/collectives.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

constexpr std::size_t block_bytes = 24;

/// Each operation against what it has to give, with payload that names its sender.
class CollectivesOfTest : public test::Ring {
 protected:
  /// The payload of all ranks, one block after the other; those of rank r have `bytes(r)`.
  template <class Bytes>
  std::vector<std::byte> of_all_ranks(Bytes bytes, int round = 0) const {
    std::vector<std::byte> all;
    for (int rank = 0; rank < world_.size(); ++rank) {
      const auto payload = payload_of(rank, bytes(rank), round);
      all.insert(all.end(), payload.begin(), payload.end());
    }
    return all;
  }

  static std::size_t one_block(int /*rank*/) { return block_bytes; }
  static std::size_t growing(int rank) { return static_cast<std::size_t>(7 * rank); }

  Blocks growing_blocks() const {
    std::vector<int> counts(ranks_);
    for (int rank = 0; rank < world_.size(); ++rank) {
      counts[static_cast<std::size_t>(rank)] = static_cast<int>(growing(rank));
    }
    return Blocks::of(std::move(counts));
  }

  const std::size_t ranks_ = static_cast<std::size_t>(world_.size());
  const int last_ = world_.size() - 1;
  const Collectives collectives_{world_};
};

TEST_F(CollectivesOfTest, blocks_lie_one_after_the_other) {
  const Blocks blocks = Blocks::of({3, 0, 5});
  EXPECT_EQ(blocks.offsets, (std::vector{0, 3, 3}));
  EXPECT_EQ(blocks.total(), 8U);
  EXPECT_EQ(Blocks::of({}).total(), 0U);
}

TEST_F(CollectivesOfTest, a_broadcast_brings_the_roots_payload) {
  auto payload = payload_of(rank_, block_bytes);
  collectives_.broadcast(payload, last_);
  EXPECT_EQ(payload, payload_of(last_, block_bytes));
}

TEST_F(CollectivesOfTest, sums_are_by_element) {
  const std::array own{1.0, static_cast<double>(rank_), -0.5};
  const auto count = static_cast<double>(ranks_);
  const std::array expected{count, count * (count - 1) / 2, -0.5 * count};
  std::array<double, 3> sum{};
  collectives_.all_reduce(own, sum);
  EXPECT_EQ(sum, expected);
  std::array<double, 3> on_root{};
  collectives_.reduce(own, on_root, last_);
  EXPECT_EQ(on_root, rank_ == last_ ? expected : (std::array<double, 3>{}));
}

TEST_F(CollectivesOfTest, blocks_of_all_ranks_are_gathered_in_order) {
  const auto own = payload_of(rank_, block_bytes);
  const auto expected = of_all_ranks(one_block);
  std::vector<std::byte> everywhere(expected.size());
  collectives_.all_gather(own, everywhere);
  EXPECT_EQ(everywhere, expected);
  std::vector<std::byte> on_root(expected.size());
  collectives_.gather(own, on_root, last_);
  EXPECT_EQ(on_root == expected, rank_ == last_);
}

TEST_F(CollectivesOfTest, blocks_of_different_lengths_are_gathered_in_order) {
  const auto own = payload_of(rank_, growing(rank_));
  const auto expected = of_all_ranks(growing);
  std::vector<std::byte> everywhere(expected.size());
  collectives_.all_gather(own, everywhere, growing_blocks());
  EXPECT_EQ(everywhere, expected);
  std::vector<std::byte> on_root(rank_ == last_ ? expected.size() : 0);
  collectives_.gather(own, on_root, rank_ == last_ ? growing_blocks() : Blocks{}, last_);
  EXPECT_EQ(on_root, rank_ == last_ ? expected : std::vector<std::byte>{});
}

TEST_F(CollectivesOfTest, each_rank_gets_its_block_of_the_roots) {
  const auto equal = of_all_ranks(one_block, 3);
  std::vector<std::byte> own(block_bytes);
  collectives_.scatter(equal, own, last_);
  EXPECT_EQ(own, payload_of(rank_, block_bytes, 3));
  const auto different = of_all_ranks(growing, 4);
  own.resize(growing(rank_));
  collectives_.scatter(rank_ == last_ ? std::span{different} : std::span<const std::byte>{},
                       rank_ == last_ ? growing_blocks() : Blocks{}, own, last_);
  EXPECT_EQ(own, payload_of(rank_, growing(rank_), 4));
}

TEST_F(CollectivesOfTest, each_rank_gets_a_block_from_each) {
  // The block from one rank to another is named by both.
  const auto block = [](int from, int to) { return payload_of(from, block_bytes, 1 + to); };
  std::vector<std::byte> outgoing;
  std::vector<std::byte> expected;
  for (int rank = 0; rank < world_.size(); ++rank) {
    const auto to = block(rank_, rank);
    const auto from = block(rank, rank_);
    outgoing.insert(outgoing.end(), to.begin(), to.end());
    expected.insert(expected.end(), from.begin(), from.end());
  }
  std::vector<std::byte> incoming(expected.size());
  collectives_.all_to_all(outgoing, incoming, block_bytes);
  EXPECT_EQ(incoming, expected);
  std::ranges::fill(incoming, std::byte{0});
  const Blocks blocks = Blocks::of(std::vector(ranks_, static_cast<int>(block_bytes)));
  collectives_.all_to_all(outgoing, blocks, incoming, blocks);
  EXPECT_EQ(incoming, expected);
}

}  // namespace
}  // namespace halocline::mpi
