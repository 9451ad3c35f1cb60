#include "halocline/base/words.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace halocline {
namespace {

using Texts = std::vector<std::string>;

TEST(WordsTest, parts_have_no_blanks_at_their_ends_and_may_be_empty) {
  EXPECT_EQ(parts_of(" a b |c||", '|'), (Texts{"a b", "c", "", ""}));
  EXPECT_EQ(parts_of("", '|'), Texts{""});
  EXPECT_EQ(parts_of("one\r\ntwo", '\n'), (Texts{"one", "two"}));
}

TEST(WordsTest, words_are_what_blanks_separate) {
  EXPECT_EQ(words_of("  a\tb  c\n"), (Texts{"a", "b", "c"}));
  EXPECT_EQ(words_of(" \t"), Texts{});
  EXPECT_EQ(single_spaced("MPICH Version:\t5.0.2 "), "MPICH Version: 5.0.2");
}

TEST(WordsTest, small_numbers_keep_their_digits) {
  EXPECT_EQ(number_text(2.5e-13), "2.5e-13");
  EXPECT_EQ(number_text(1.0 / 3), "0.333333");
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_NE(number_text(next, all_digits), number_text(1.0, all_digits));
}

}  // namespace
}  // namespace halocline
