#include "halocline/mpi/window.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/shared_window.hpp"
#include "support/ring.hpp"

namespace halocline::mpi {
namespace {

class WindowTest : public test::Ring {
 protected:
  static constexpr std::size_t payload_bytes = 200;
  static constexpr std::size_t offset_bytes = 56;
  static constexpr std::size_t window_bytes = offset_bytes + payload_bytes + 13;

  /// Whether the window holds the previous rank's payload at the offset, and is zero elsewhere.
  void expect_arrived(const Window& window, int round) const {
    const auto memory = window.memory();
    const auto zero = [](std::byte byte) { return byte == std::byte{0}; };
    EXPECT_TRUE(std::ranges::all_of(memory.first(offset_bytes), zero));
    EXPECT_EQ(wrong_byte(memory.subspan(offset_bytes, payload_bytes), round), std::nullopt);
    EXPECT_TRUE(std::ranges::all_of(memory.subspan(offset_bytes + payload_bytes), zero));
  }
};

TEST_F(WindowTest, a_put_arrives_at_its_offset_alone_by_the_next_fence) {
  const Window window(world_, window_bytes);
  ASSERT_EQ(window.memory().size(), window_bytes);
  for (int round = 0; round < 3; ++round) {
    const auto payload = payload_of(rank_, payload_bytes, round);
    window.fence();
    window.put(payload, next_, offset_bytes);
    window.fence();
    expect_arrived(window, round);
  }
}

TEST_F(WindowTest, a_get_reads_what_the_target_wrote_before_the_fence) {
  const Window window(world_, window_bytes);
  std::ranges::copy(payload_of(rank_, payload_bytes, 4),
                    window.memory().subspan(offset_bytes).begin());
  std::vector<std::byte> read(payload_bytes);
  window.fence();
  window.get(read, previous_, offset_bytes);
  window.fence();
  EXPECT_EQ(wrong_byte(read, 4), std::nullopt);
}

TEST_F(WindowTest, ranks_may_bring_memory_of_different_sizes) {
  const auto own_bytes = static_cast<std::size_t>(3 * rank_);  // nothing on rank 0
  const Window window(world_, own_bytes);
  const std::byte mark{0x5a};
  window.fence();
  if (next_ > 0) {  // its last byte
    window.put(std::span{&mark, 1}, next_, static_cast<std::size_t>((3 * next_) - 1));
  }
  window.fence();
  ASSERT_EQ(window.memory().size(), own_bytes);
  if (rank_ > 0) {
    EXPECT_EQ(window.memory().back(), mark);
    EXPECT_EQ(window.memory().front(), std::byte{0});
  }
}

TEST_F(WindowTest, groups_of_one_complete_among_themselves) {
  const Window window(world_, window_bytes);
  const Group origin(world_, std::array{previous_});
  const Group target(world_, std::array{next_});
  for (int round = 0; round < 3; ++round) {
    const auto payload = payload_of(rank_, payload_bytes, round);
    window.post(origin);
    window.start(target);
    window.put(payload, next_, offset_bytes);
    window.complete();
    window.wait();
    expect_arrived(window, round);
  }
}

TEST_F(WindowTest, a_group_without_ranks_waits_for_nobody) {
  const Window window(world_, 8);
  const Group nobody(world_, {});
  window.post(nobody);
  window.start(nobody);
  window.complete();
  window.wait();
}

TEST_F(WindowTest, a_flushed_put_is_there_when_the_flag_behind_it_is) {
  Window window(world_, window_bytes);
  window.lock_all();
  if (!window.unified()) {
    GTEST_FAIL() << "the window's memory model is separate; protocols that poll need unified";
  }
  const auto payload = payload_of(rank_, payload_bytes, 7);
  window.put(payload, next_, offset_bytes);
  window.flush(next_);
  const std::uint64_t flag = 0x0123456789abcdef;
  window.replace(flag, next_, 0);
  window.flush(next_);
  world_.barrier();
  window.sync();
  std::uint64_t arrived = 0;
  std::memcpy(&arrived, window.memory().data(), sizeof arrived);
  EXPECT_EQ(arrived, flag);
  EXPECT_EQ(wrong_byte(window.memory().subspan(offset_bytes, payload_bytes), 7), std::nullopt);
  world_.barrier();
}

TEST_F(WindowTest, more_shared_memory_than_a_node_has_is_refused_before_anyone_writes) {
  const Communicator node = world_.node();
  if (node.size() > 1 && !refuses_too_much_shared_memory) {
    EXPECT_THROW(SharedWindow(node, std::size_t{1} << 44U), Skip);
    EXPECT_NO_THROW(SharedWindow(node, 8)) << "nothing was taken";
  }
}

TEST_F(WindowTest, every_rank_of_a_node_reads_and_writes_each_shared_part) {
  const Communicator node = world_.node();
  const auto own_bytes = static_cast<std::size_t>(5000 * node.rank());  // nothing on the first
  const SharedWindow window(node, own_bytes);
  for (int rank = 0; rank < node.size(); ++rank) {
    const auto part = window.part(rank);
    EXPECT_GE(part.size(), static_cast<std::size_t>(5000 * rank));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part.data()) % 4096, 0);
    EXPECT_TRUE(std::ranges::all_of(part, [](std::byte byte) { return byte == std::byte{0}; }));
  }
  node.barrier();
  // Each rank writes one byte of each part, and reads those of all.
  const auto value = [](int writer, int part) {
    return static_cast<std::byte>(1 + writer + (10 * part));
  };
  for (int rank = 1; rank < node.size(); ++rank) {
    window.part(rank)[static_cast<std::size_t>(node.rank())] = value(node.rank(), rank);
  }
  node.barrier();
  for (int rank = 1; rank < node.size(); ++rank) {
    for (int writer = 0; writer < node.size(); ++writer) {
      EXPECT_EQ(window.part(rank)[static_cast<std::size_t>(writer)], value(writer, rank));
    }
  }
  node.barrier();
}

}  // namespace
}  // namespace halocline::mpi
