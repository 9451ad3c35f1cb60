#include "halocline/base/json.hpp"

#include <array>
#include <charconv>

namespace halocline {
namespace {

void append_escaped(std::string& text, char character) {
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  switch (character) {
    case '"':
      text += "\\\"";
      return;
    case '\\':
      text += "\\\\";
      return;
    case '\n':
      text += "\\n";
      return;
    case '\t':
      text += "\\t";
      return;
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(character);
  if (code < 0x20) {
    text += "\\u00";
    text += hexadecimal[code >> 4U];
    text += hexadecimal[code & 0xFU];
  } else {
    text += character;
  }
}

}  // namespace

void JsonText::separate() {
  if (!text_.empty() && text_.back() != '{' && text_.back() != '[' && text_.back() != ':') {
    text_ += ',';
  }
}

JsonText& JsonText::begin_object() {
  separate();
  text_ += '{';
  return *this;
}

JsonText& JsonText::end_object() {
  text_ += '}';
  return *this;
}

JsonText& JsonText::begin_array() {
  separate();
  text_ += '[';
  return *this;
}

JsonText& JsonText::end_array() {
  text_ += ']';
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  value(name);
  text_ += ':';
  return *this;
}

JsonText& JsonText::value(std::string_view text) {
  separate();
  text_ += '"';
  for (const char character : text) {
    append_escaped(text_, character);
  }
  text_ += '"';
  return *this;
}

JsonText& JsonText::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonText& JsonText::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonText& JsonText::value(double number) {
  separate();
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text_.append(digits.data(), end);
  return *this;
}

JsonText& JsonText::value(Seconds time) {
  constexpr int significant_digits = 9;
  separate();
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), time.count(),
                                 std::chars_format::general, significant_digits)
                       .ptr;
  text_.append(digits.data(), end);
  return *this;
}

JsonText& JsonText::integer(std::int64_t number) {
  separate();
  text_ += std::to_string(number);
  return *this;
}

}  // namespace halocline
