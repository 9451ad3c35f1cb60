#include "halocline/base/mappings.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halocline {
namespace {

constexpr std::uintptr_t begin = 0x10000;
constexpr std::uintptr_t page = 0x1000;

std::span<const std::byte> pages(std::uintptr_t first, std::uintptr_t count) {
  return {reinterpret_cast<const std::byte*>(begin + first * page), count * page};
}

/// What is said of a mapping of one page with these words of the kernel's.
std::string objection(const std::string& line, const std::string& flags = "rd wr mr mw me ac sd") {
  const auto mappings = Mappings::of_text(
      "00010000-00011000 " + line + "\nSize:                  4 kB\nVmFlags: " + flags + " \n");
  return mappings.objection(pages(0, 1)).value_or("none");
}

TEST(MappingsTest, private_memory_is_the_programs) {
  EXPECT_EQ(objection("rw-p 00000000 00:00 0 "), "none");
  EXPECT_EQ(objection("rw-p 00000000 00:00 0                          [heap]"), "none");
  EXPECT_EQ(objection("rw-p 00000000 00:00 0 [anon:numbers]", "rd wr mr mw me ac hg sd"), "none");
}

TEST(MappingsTest, other_memory_is_not) {
  EXPECT_EQ(objection("rw-p 00000000 00:00 0   [stack]", "rd wr mr mw me gd ac"), "are a stack");
  EXPECT_EQ(objection("rw-p 00000000 08:01 77  /lib/some library.so"),
            "map the file /lib/some library.so");
  EXPECT_EQ(objection("rw-s 00000000 00:01 9   /dev/shm/halocline-5 (deleted)"),
            "are adopted already");
  EXPECT_EQ(objection("rw-p 00000000 00:0e 7   /anon_hugepage (deleted)", "rd wr mr mw me ht"),
            "are huge pages of their own (hugetlb)");
  EXPECT_EQ(objection("rw-p 00000000 00:00 0", "rd wr mr mw me dc ac"),
            "are kept from forked processes, as is memory registered with a network card");
  EXPECT_EQ(objection("rw-p 00000000 00:00 0", "rd wr mr mw me lo ac"), "are locked");
  EXPECT_EQ(objection("rw-p 00000000 00:00 0", "rd wr mr mw me io pf"), "belong to a device");
  EXPECT_EQ(objection("r--p 00000000 00:00 0"), "have the permissions r--p");
  EXPECT_EQ(objection("rw-s 00000000 00:00 0"), "have the permissions rw-s");
}

TEST(MappingsTest, memory_may_lie_in_several_without_a_gap) {
  const std::string first = "00010000-00012000 rw-p 00000000 00:00 0\n";
  const auto joined = Mappings::of_text(first + "00012000-00014000 rw-p 00000000 00:00 0\n");
  EXPECT_EQ(joined.over(pages(1, 2)).size(), 2U);
  EXPECT_EQ(joined.over(pages(0, 1)).size(), 1U);
  EXPECT_FALSE(joined.objection(pages(0, 4)));
  EXPECT_FALSE(joined.objection({}));
  EXPECT_EQ(joined.objection(pages(3, 2)), "are not all memory of this process");
  const auto apart = Mappings::of_text(first + "00013000-00014000 rw-p 00000000 00:00 0\n");
  EXPECT_EQ(apart.objection(pages(1, 3)), "are not all memory of this process");
}

TEST(MappingsTest, this_process_has_a_stack_and_a_heap) {
  const int local = 0;
  const std::span on_stack(reinterpret_cast<const std::byte*>(&local), sizeof local);
  EXPECT_EQ(Mappings::read().objection(on_stack), "are a stack");
  const std::string heap(100, 'x');
  const std::span on_heap(reinterpret_cast<const std::byte*>(heap.data()), heap.size());
  EXPECT_FALSE(Mappings::read().objection(on_heap));
  EXPECT_EQ(Mappings::read_ranges().over(on_heap).size(), 1U);
}

}  // namespace
}  // namespace halocline
