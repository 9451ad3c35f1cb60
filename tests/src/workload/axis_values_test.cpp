#include <gtest/gtest.h>

#include "halocline/workload/workload.hpp"

namespace halocline::workload {
namespace {

const ChoiceAxis direction{
    .name = "direction", .choices = {"one_way", "both_ways"}, .defaults = {"one_way"}};

AxisValues values(std::map<std::string, std::string> texts) { return AxisValues{std::move(texts)}; }

TEST(AxisValuesTest, a_choice_is_one_of_the_names) {
  EXPECT_EQ(values({{"direction", "both_ways"}}).choice(direction), "both_ways");
}

TEST(AxisValuesTest, another_name_is_reported_with_those_that_are_allowed) {
  try {
    values({{"direction", "up"}}).choice(direction);
    FAIL() << "up is no direction";
  } catch (const UsageError& problem) {
    EXPECT_NE(std::string{problem.what()}.find("allowed: one_way, both_ways"), std::string::npos);
  }
  EXPECT_THROW(values({}).choice(direction), UsageError);
}

}  // namespace
}  // namespace halocline::workload
