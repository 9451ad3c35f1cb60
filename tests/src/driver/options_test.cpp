#include "halocline/driver/options.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "halocline/base/error.hpp"

namespace halocline::driver {
namespace {

Options parse(std::vector<const char*> words) {
  words.insert(words.begin(), "halocline-driver");
  return parse_options(static_cast<int>(words.size()), words.data());
}

TEST(OptionsTest, reads_all_of_them) {
  const Options options =
      parse({"--cases",         "c", "--output",      "o",    "--label",        "mpich",
             "--launch",        "3", "--half-width",  "0.02", "--case-seconds", "0.5",
             "--stall-seconds", "7", "--pages",       "huge", "--path",         "recorded",
             "--turns",         "t", "--delay-share", "0.02", "--verify-only",  "--shared-cores",
             "--name-regions"});
  EXPECT_EQ(options.cases, "c");
  EXPECT_EQ(options.output, "o");
  EXPECT_EQ(options.label, "mpich");
  EXPECT_EQ(options.launch, 3);
  EXPECT_EQ(options.budget.half_width_relative, 0.02);
  EXPECT_EQ(options.budget.longest, Seconds{0.5});
  EXPECT_EQ(options.stall_s, 7);
  EXPECT_EQ(options.pages, Pages::huge);
  EXPECT_FALSE(options.path_must_be_proven);
  EXPECT_EQ(options.turns, "t");
  EXPECT_EQ(options.budget.delay_share, 0.02);
  EXPECT_TRUE(options.verify_only);
  EXPECT_FALSE(options.budget.preemption_spoils);
  EXPECT_TRUE(options.budget.name_regions);
}

TEST(OptionsTest, the_catalogue_needs_nothing_else) {
  EXPECT_TRUE(parse({"--catalogue"}).catalogue);
}

TEST(OptionsTest, a_replay_goes_alone) {
  EXPECT_EQ(parse({"--replay", "plan.txt"}).replay, "plan.txt");
  EXPECT_THROW(parse({"--replay", "plan.txt", "--cases", "c"}), UsageError);
}

TEST(OptionsTest, refuses_what_it_cannot_use) {
  const std::vector<const char*> enough{"--cases", "c", "--output", "o",
                                        "--label", "l", "--launch", "1"};
  const auto with = [&enough](std::vector<const char*> more) {
    more.insert(more.begin(), enough.begin(), enough.end());
    return more;
  };
  EXPECT_NO_THROW(parse(enough));
  EXPECT_THROW(parse({}), UsageError);
  EXPECT_THROW(parse({"--cases", "c"}), UsageError);
  EXPECT_THROW(parse(with({"--launch"})), UsageError);
  EXPECT_THROW(parse(with({"--launch", "0"})), UsageError);
  EXPECT_THROW(parse(with({"--launch", "two"})), UsageError);
  EXPECT_THROW(parse(with({"--half-width", "nan"})), UsageError);
  EXPECT_THROW(parse(with({"--case-seconds", "-1"})), UsageError);
  EXPECT_THROW(parse(with({"--delay-share", "-0.1"})), UsageError);
  EXPECT_THROW(parse(with({"--unknown", "1"})), UsageError);
}

}  // namespace
}  // namespace halocline::driver
