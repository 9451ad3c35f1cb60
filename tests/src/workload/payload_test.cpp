#include "halocline/workload/micro/payload.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "halocline/base/pattern.hpp"

namespace halocline::workload {
namespace {

TEST(PayloadTest, says_which_byte_is_wrong) {
  Payload sender(100);
  Payload receiver(100);
  sender.write(5, 0);
  receiver.write(5, 1);
  const std::span<std::byte> arrived(receiver.incoming().front().data, 100);
  std::ranges::copy(std::span(sender.outgoing().front().data, 100), arrived.begin());
  EXPECT_EQ(receiver.difference(5, 0, 1), std::nullopt);

  const int expected = std::to_integer<int>(arrived[17]);
  arrived[17] = static_cast<std::byte>(expected ^ 1);
  EXPECT_EQ(receiver.difference(5, 0, 1), "rank 1 received byte 17 of 100 from rank 0 as " +
                                              std::to_string(expected ^ 1) + ", expected " +
                                              std::to_string(expected));
}

TEST(PayloadTest, what_was_never_received_is_wrong_from_the_first_byte) {
  Payload receiver(100);
  receiver.write(5, 1);
  const auto difference = receiver.difference(5, 0, 1);
  ASSERT_TRUE(difference.has_value());
}

TEST(PayloadTest, nothing_is_right_when_nothing_is_sent) {
  Payload empty(0);
  empty.write(1, 0);
  EXPECT_EQ(empty.difference(1, 1, 0), std::nullopt);
}

TEST(PayloadTest, sweeps_23_lengths_up_to_4_mebibyte) {
  const auto& lengths = message_bytes_axis().defaults;
  EXPECT_EQ(lengths.size(), 23U);
  EXPECT_EQ(lengths.front(), 0);
  EXPECT_EQ(lengths.back(), 4 * 1024 * 1024);
}

}  // namespace
}  // namespace halocline::workload
