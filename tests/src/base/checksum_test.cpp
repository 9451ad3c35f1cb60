#include "halocline/base/checksum.hpp"

#include <gtest/gtest.h>

namespace halocline {
namespace {

TEST(Crc32Test, gives_the_check_value_of_the_standard) {
  Crc32 checksum;
  checksum.add("1234");
  checksum.add("56789");
  EXPECT_EQ(checksum.value(), 0xCBF43926U);
}

TEST(Crc32Test, of_nothing_is_zero) { EXPECT_EQ(Crc32{}.value(), 0U); }

}  // namespace
}  // namespace halocline
