#include "halocline/base/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "halocline/base/units.hpp"

namespace halocline {
namespace {

/// The flags that the kernel shows for the mapping that holds this address.
std::string flags_at(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    const auto dash = line.find('-');
    if (dash != std::string::npos && dash < line.find(' ')) {
      const auto low = std::stoull(line.substr(0, dash), nullptr, 16);
      const auto high = std::stoull(line.substr(dash + 1), nullptr, 16);
      inside = low <= wanted && wanted < high;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return "";
}

TEST(MemoryTest, is_zero_and_as_long_as_asked) {
  for (const Pages pages : {Pages::as_system, Pages::base, Pages::huge}) {
    const Memory memory(3 * mebibyte + 1, pages);
    EXPECT_EQ(memory.bytes().size(), 3 * mebibyte + 1);
    EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::byte b) { return b == std::byte{0}; }));
    EXPECT_TRUE(Memory(0, pages).bytes().empty());
  }
}

TEST(MemoryTest, the_kernel_is_asked_for_the_pages) {
  const Memory huge(4 * mebibyte, Pages::huge);
  const Memory base(4 * mebibyte, Pages::base);
  EXPECT_NE(flags_at(huge.bytes().data()).find(" hg"), std::string::npos);
  EXPECT_NE(flags_at(base.bytes().data()).find(" nh"), std::string::npos);
}

}  // namespace
}  // namespace halocline
