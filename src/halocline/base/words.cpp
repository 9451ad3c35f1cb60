#include "halocline/base/words.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace halocline {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (auto end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(trimmed(text));
  return parts;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (auto first = text.find_first_not_of(blanks); first != std::string_view::npos;
       first = text.find_first_not_of(blanks)) {
    text.remove_prefix(first);
    const auto end = std::min(text.size(), text.find_first_of(blanks));
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string single_spaced(std::string_view text) {
  std::string joined;
  for (const std::string& word : words_of(text)) {
    joined += (joined.empty() ? "" : " ") + word;
  }
  return joined;
}

std::string number_text(double number, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << number;
  return text.str();
}

}  // namespace halocline
