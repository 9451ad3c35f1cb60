#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halocline {

/// The parts of a text between separators, stripped of blanks; an empty one between adjacent
/// separators.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// The words of a text.
std::vector<std::string> words_of(std::string_view text);

/// The words of a text, separated by single spaces.
std::string single_spaced(std::string_view text);

inline constexpr int few_digits = 6;
inline constexpr int all_digits = 17;  // different numbers have different texts

/// With this many significant digits, however small the number.
std::string number_text(double number, int digits = few_digits);

}  // namespace halocline
