// Arrays of the program that neighbours on the node read where they are.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "halocline/base/error.hpp"
#include "halocline/base/mappings.hpp"
#include "halocline/base/pattern.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/route/redistribution.hpp"
#include "support/grid_fields.hpp"
#include "support/problem.hpp"

namespace halocline::bundle {
namespace {

using layout::Cuts;
using Layout = layout::Blocks;
using Bytes = std::vector<std::byte>;

constexpr std::size_t page = 4096;

/// Whole pages of its own, of which a test takes what it likes.
class Ground {
 public:
  explicit Ground(std::size_t bytes, int protection = PROT_READ | PROT_WRITE,
                  int flags = MAP_PRIVATE | MAP_ANONYMOUS)
      : bytes_(bytes), address_(mmap(nullptr, bytes, protection, flags, -1, 0)) {}
  ~Ground() { munmap(address_, bytes_); }
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  std::span<std::byte> from(std::size_t offset, std::size_t bytes) const {
    return {static_cast<std::byte*>(address_) + offset, bytes};
  }

 private:
  std::size_t bytes_;
  void* address_;
};

void fill(std::span<std::byte> memory, std::uint64_t seed) {
  for (std::size_t at = 0; at < memory.size(); ++at) {
    memory[at] = static_cast<std::byte>(pattern_word(seed, at) & 0xffU);
  }
}
Bytes copy_of(std::span<const std::byte> memory) { return {memory.begin(), memory.end()}; }

bool shared(std::span<const std::byte> memory) {
  const auto under = Mappings::read().over(memory);
  return std::ranges::any_of(under,
                             [](const Mapping& mapping) { return mapping.permissions == "rw-s"; });
}

class AdoptedMemoryTest : public testing::Test {
 protected:
  mpi::Communicator world_ = mpi::Communicator::world();
};

using Arrays = std::vector<std::span<std::byte>>;

TEST_F(AdoptedMemoryTest, contents_survive_adopting_writing_and_giving_back) {
  const Ground ground(64 * page);
  const std::span<std::byte> array = ground.from(100, 50 * page + 77);
  fill(array, 1);
  const Bytes before = copy_of(array);
  std::optional<NodeMemory> memory(std::in_place, world_, Arrays{array});
  EXPECT_EQ(copy_of(array), before);
  EXPECT_TRUE(shared(array));
  fill(array, 2);
  const Bytes after = copy_of(array);
  memory->give_back();
  EXPECT_EQ(copy_of(array), after);
  EXPECT_FALSE(shared(array));
  fill(array, 3);  // writable, and the object's no more
  memory.reset();
  const Bytes third = copy_of(array);
  fill(array, 3);
  EXPECT_EQ(copy_of(array), third);
}

TEST_F(AdoptedMemoryTest, destructors_give_back) {
  Bytes array(9 * page);
  fill(array, 4);
  const Bytes before = array;
  {
    const NodeMemory memory(world_, Arrays{array});
  }
  EXPECT_EQ(array, before);
  EXPECT_FALSE(shared(array));
}

TEST_F(AdoptedMemoryTest, others_read_what_is_written_later) {
  const Ground ground(8 * page);
  const std::span<std::byte> array = ground.from(0, 8 * page);
  const NodeMemory memory(world_, Arrays{array});
  const auto node = world_.node();
  fill(array, 10 + static_cast<std::uint64_t>(node.rank()));
  node.barrier();
  for (int rank = 0; rank < node.size(); ++rank) {
    Bytes expected(array.size());
    fill(expected, 10 + static_cast<std::uint64_t>(rank));
    EXPECT_EQ(copy_of(memory.part(rank)), expected);
  }
  node.barrier();
}

TEST_F(AdoptedMemoryTest, only_whole_pages_are_seen) {
  const Ground ground(8 * page);
  const Arrays arrays{ground.from(10, 100),                    // less than a page
                      ground.from(200, page),                  // a page in size, across two
                      ground.from(2 * page - 40, 2 * page),    // ends in the page of the next
                      ground.from(4 * page - 40, 40 + page)};  // begins there
  const NodeMemory memory(world_, arrays);
  EXPECT_FALSE(memory.touches(arrays[0]));
  EXPECT_FALSE(memory.touches(arrays[1]));
  EXPECT_EQ(memory.offset_of(ground.from(2 * page, page)), 0U);
  EXPECT_EQ(memory.offset_of(ground.from(4 * page, page)), page);
  EXPECT_FALSE(memory.touches(ground.from(3 * page, page)));  // two arrays have a part of it
  EXPECT_FALSE(memory.offset_of(arrays[2]));
  EXPECT_TRUE(memory.touches(arrays[2]));
}

TEST_F(AdoptedMemoryTest, a_rank_may_bring_nothing) {
  const Ground ground(7 * page);
  // Not of whole pages: those are not all shared.
  const std::span<std::byte> array = ground.from(10, world_.rank() == 0 ? 5 * page : 0);
  const NodeMemory memory(world_, world_.rank() == 0 ? Arrays{array} : Arrays{});
  EXPECT_EQ(memory.offset_of(array).has_value(), false);
  EXPECT_EQ(memory.part(world_.node().rank()).size() > 0, world_.rank() == 0);
}

TEST_F(AdoptedMemoryTest, forked_children_write_to_memory_of_their_own) {
  const Ground ground(4 * page);
  const std::span<std::byte> array = ground.from(0, 4 * page);
  fill(array, 1);
  const Bytes before = copy_of(array);
  NodeMemory memory(world_, Arrays{array});
  const pid_t child = fork();
  if (child == 0) {
    const bool same = std::memcmp(array.data(), before.data(), array.size()) == 0;
    std::ranges::fill(array, std::byte{0});
    _exit(same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(copy_of(array), before);
}

TEST_F(AdoptedMemoryTest, released_arrays_are_reported_and_left_alone) {
  auto ground = std::make_unique<Ground>(4 * page);
  const Ground other(4 * page);
  NodeMemory memory(world_, Arrays{ground->from(0, 4 * page), other.from(0, 4 * page)});
  const std::byte* const released = ground->from(0, 1).data();
  ground.reset();
  const Ground somebody(4 * page);  // where the kernel likes best: the same place
  fill(somebody.from(0, 4 * page), 5);
  const Bytes theirs = copy_of(somebody.from(0, 4 * page));
  EXPECT_EQ(test::problem([&] { memory.give_back(); }).substr(0, 27),
            "1 of 2 adopted arrays were ");
  EXPECT_EQ(copy_of(somebody.from(0, 4 * page)), theirs) << static_cast<const void*>(released);
  EXPECT_FALSE(shared(other.from(0, 4 * page)));
}

TEST_F(AdoptedMemoryTest, memory_that_is_not_the_programs_alone_is_refused_on_all_ranks) {
  const auto words = [this](std::span<std::byte> array) {
    Bytes good(3 * page);
    fill(good, 6);
    const Bytes before = good;
    std::string report = test::problem([&] {
      const NodeMemory memory(
          world_, world_.rank() == world_.size() - 1 ? Arrays{good, array} : Arrays{good});
    });
    EXPECT_EQ(good, before);
    EXPECT_FALSE(shared(good));
    return report;
  };
  const std::string rank = "rank " + std::to_string(world_.size() - 1) + ": array 2 of ";
  const std::string cannot = " bytes cannot be adopted: its pages ";
  const auto begins = [&](std::size_t bytes, const char* reason) {
    return rank + std::to_string(bytes) + cannot + reason + "; allowed: ";
  };
  const auto expect = [&](std::span<std::byte> array, const char* reason) {
    const std::string expected = begins(array.size(), reason);
    EXPECT_EQ(words(array).substr(0, expected.size()), expected);
  };
  const Ground read_only(2 * page, PROT_READ);
  expect(read_only.from(0, 2 * page), "have the permissions r--p");
  const Ground kept(2 * page);
  ASSERT_EQ(madvise(kept.from(0, 1).data(), 2 * page, MADV_DONTFORK), 0);
  expect(kept.from(0, 2 * page),
         "are kept from forked processes, as is memory registered with a network card");
  const Ground locked(2 * page);
  // Not mlock(): a sanitizer makes that do nothing.
  if (syscall(SYS_mlock, locked.from(0, 1).data(), page) == 0) {
    expect(locked.from(0, 2 * page), "are locked");
  }
  alignas(page) std::array<std::byte, 2 * page> local{};
  expect(local, "are a stack");
  const Ground hole(3 * page);
  munmap(hole.from(page, 1).data(), page);
  expect(hole.from(0, 3 * page), "are not all memory of this process");
  Bytes twice(3 * page);
  const NodeMemory first(world_, Arrays{twice});
  expect(twice, "are adopted already");
}

TEST_F(AdoptedMemoryTest, overlapping_arrays_are_refused) {
  const Ground ground(4 * page);
  EXPECT_EQ(test::problem([&] {
              const NodeMemory memory(
                  world_, Arrays{ground.from(page, 2 * page), ground.from(0, page + 8)});
            }),
            "rank 0: arrays to adopt overlap by 8 bytes; allowed: each byte once; pass each array "
            "once");
}

/// A source's fields of a redistribution, adopted and not: the destinations must be alike, bit by
/// bit. `shift_bytes` is how far into a page the first field begins.
void move_both_ways(const mpi::Communicator& world, const Layout& from, const Layout& to,
                    std::size_t shift_bytes, const test::Memory& as, const Way& way) {
  const std::vector<std::size_t> element_bytes{8, 1, 4, 16};
  const auto route = route::redistribution(from, to, world);
  test::GridFields source(from, world.rank(), element_bytes, as);
  // The same arrays, one after the other in memory of the test's own.
  std::size_t bytes = shift_bytes;
  const auto next = [&bytes](const Field& field) {
    return std::exchange(
        bytes, bytes + static_cast<std::size_t>(field.extent.volume()) * field.element_bytes + 24);
  };
  for (const Bundle& bundle : source.blocks()) {
    std::ranges::for_each(bundle, next);
  }
  const Ground ground(bytes + page);
  bytes = shift_bytes;
  Blocks moved = source.blocks();
  Arrays arrays;
  source.write(9);
  for (Bundle& bundle : moved) {
    for (Field& field : bundle) {
      const std::size_t size =
          static_cast<std::size_t>(field.extent.volume()) * field.element_bytes;
      const auto array = ground.from(next(field), size);
      std::memcpy(array.data(), field.data, size);
      field.data = array.data();
      arrays.push_back(array);
    }
  }
  const NodeMemory memory(world, arrays);
  test::GridFields destination(to, world.rank(), element_bytes);
  Redistribution there(route, moved, destination.blocks(), way, world, &memory);
  for (int repeat = 0; repeat < 2; ++repeat) {
    destination.clear();
    there.start();
    there.finish();
    EXPECT_EQ(destination.wrong(9), 0U) << "begins " << shift_bytes << " B into a page";
  }
}

TEST_F(AdoptedMemoryTest, redistributions_are_bitwise_those_of_ordinary_memory) {
  const int ranks = world_.size();
  const auto cut = [](layout::Index x, layout::Index y, int parts_x, int parts_y) {
    return Layout({Cuts::even({.lower = 0, .upper = x}, parts_x),
                   Cuts::even({.lower = 0, .upper = y}, parts_y),
                   Cuts::even({.lower = 0, .upper = 5}, 1)});
  };
  for (const std::size_t shift_bytes : {0U, 1U, 8U, 2048U, 4095U}) {
    move_both_ways(world_, cut(61, 47, ranks, 1), cut(61, 47, 1, ranks), shift_bytes, {}, {});
    move_both_ways(world_, cut(7, 9, ranks, 1), cut(7, 9, 1, ranks), shift_bytes, {}, {});
    move_both_ways(world_, cut(61, 47, 1, ranks), cut(61, 47, ranks, 1), shift_bytes,
                   {.ghosts = 1, .order = {2, 0, 1, 3}}, {.whole_bundle = false, .threads = 2});
  }
}

TEST_F(AdoptedMemoryTest, large_fields_are_streamed_out_of_adopted_memory) {
  const int ranks = world_.size();
  const Layout from(
      {Cuts::even({.lower = 0, .upper = 1024}, ranks), Cuts::even({.lower = 0, .upper = 300}, 1)});
  const Layout to(
      {Cuts::even({.lower = 0, .upper = 1024}, 1), Cuts::even({.lower = 0, .upper = 300}, ranks)});
  move_both_ways(world_, from, to, 16, {}, {});
}

}  // namespace
}  // namespace halocline::bundle
