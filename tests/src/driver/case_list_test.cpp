#include "halocline/driver/case_list.hpp"

#include <gtest/gtest.h>

#include "halocline/base/error.hpp"
#include "halocline/workload/micro/payload.hpp"

namespace halocline::driver {
namespace {

TEST(CaseListTest, reads_one_case_a_line) {
  const auto cases = parse_cases(
      "a1 pingpong protocol=send_recv bytes=8\nb2 pingping bytes=0 protocol=sendrecv\n");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].id, "a1");
  EXPECT_EQ(cases[0].workload->name, "pingpong");
  EXPECT_EQ(cases[0].axes.protocol().name, "send_recv");
  EXPECT_EQ(cases[1].axes.integer(workload::message_bytes_axis()), 0);
}

TEST(CaseListTest, names_the_line_that_is_wrong) {
  EXPECT_THROW(parse_cases("a1\n"), UsageError);
  EXPECT_THROW(parse_cases("a1 pingpong bytes\n"), UsageError);
  EXPECT_THROW(parse_cases("a1 pongping\n"), UsageError);
  try {
    parse_cases("a1 pingpong protocol=send_recv bytes=8\n\n");
    FAIL() << "an empty line is not a case";
  } catch (const UsageError& problem) {
    EXPECT_NE(std::string{problem.what()}.find("line 2"), std::string::npos) << problem.what();
  }
}

TEST(CaseListTest, axis_values_are_checked_when_they_are_used) {
  const auto cases = parse_cases(
      "a pingpong bytes=-1\nb pingpong bytes=8x\nc pingpong bytes=99999999999\nd pingpong "
      "protocol=pigeon\n");
  for (std::size_t index = 0; index < 3; ++index) {
    EXPECT_THROW(cases[index].axes.integer(workload::message_bytes_axis()), UsageError);
  }
  EXPECT_THROW(cases[3].axes.protocol(), UsageError);
  EXPECT_THROW(cases[3].axes.integer(workload::message_bytes_axis()), UsageError);
}

}  // namespace
}  // namespace halocline::driver
