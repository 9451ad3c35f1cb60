#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halocline {

/// The parts of a text between separators, without blanks at their ends; an empty one where two
/// separators meet.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// The words of a text.
std::vector<std::string> words_of(std::string_view text);

/// The words of a text with one space between two.
std::string single_spaced(std::string_view text);

/// Of a few digits, however small.
std::string number_text(double number);

}  // namespace halocline
