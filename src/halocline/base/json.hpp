#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "halocline/base/units.hpp"

namespace halocline {

/// Appends JSON values to a text. Only what records need: no reading, no formatting.
class JsonText {
 public:
  JsonText& begin_object();
  JsonText& end_object();
  JsonText& begin_array();
  JsonText& end_array();
  JsonText& key(std::string_view name);

  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view{text}); }
  JsonText& value(bool truth);
  JsonText& null();
  JsonText& value(double number);
  /// Nine digits, far finer than any clock resolves: a raw sample in few bytes.
  JsonText& value(Seconds time);
  JsonText& value(std::integral auto number) { return integer(static_cast<std::int64_t>(number)); }

  template <class Value>
  JsonText& field(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

  /// An array field from any range of values.
  template <class Range>
  JsonText& list(std::string_view name, const Range& contents) {
    key(name).begin_array();
    for (const auto& content : contents) {
      value(content);
    }
    return end_array();
  }

  const std::string& text() const { return text_; }

 private:
  JsonText& integer(std::int64_t number);
  void separate();

  std::string text_;
};

}  // namespace halocline
