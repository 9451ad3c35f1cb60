#pragma once

#include <chrono>
#include <cstddef>

namespace halocline {

using Seconds = std::chrono::duration<double>;

inline constexpr std::size_t kibibyte = 1024;
inline constexpr std::size_t mebibyte = 1024 * kibibyte;
inline constexpr std::size_t gibibyte = 1024 * mebibyte;

}  // namespace halocline
