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

/// With a few digits, however small.
std::string number_text(double number);

}  // namespace halocline
