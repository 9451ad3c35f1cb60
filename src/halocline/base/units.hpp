#pragma once

#include <chrono>
#include <cstddef>

namespace halocline {

using Seconds = std::chrono::duration<double>;

inline constexpr std::size_t kibibyte = 1024;
inline constexpr std::size_t mebibyte = 1024 * kibibyte;
inline constexpr std::size_t gibibyte = 1024 * mebibyte;

/// The least multiple that is not less than the number of bytes.
constexpr std::size_t rounded_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace halocline
