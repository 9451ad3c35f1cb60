#include "halocline/base/json.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace halocline {
namespace {

TEST(JsonTextTest, separates_members_and_elements) {
  JsonText json;
  json.begin_object().field("a", 1).list("b", std::vector<int>{2, 3}).key("c").begin_object();
  json.end_object().field("d", true).end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":[2,3],"c":{},"d":true})");
}

TEST(JsonTextTest, escapes_what_json_forbids) {
  JsonText json;
  json.value("a \"b\" \\ \n \t \x01");
  EXPECT_EQ(json.text(), R"("a \"b\" \\ \n \t \u0001")");
}

TEST(JsonTextTest, numbers_read_back_to_the_same_bits) {
  for (const double number : {0.1, 1e-300, 1.2345678901234567e-6, 3.0}) {
    JsonText json;
    json.value(number);
    EXPECT_EQ(std::stod(json.text()), number);
  }
}

TEST(JsonTextTest, times_are_short_and_exact_to_nine_digits) {
  JsonText json;
  json.begin_array().value(Seconds{0.00010791099998641585}).value(Seconds{0}).end_array();
  EXPECT_EQ(json.text(), "[0.000107911,0]");
}

}  // namespace
}  // namespace halocline
