#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace halocline {

/// Eight bytes of the payload that `seed` selects. They vary along the payload, because the kernel
/// may share pages of equal bytes, which are then read too fast. They vary with the seed, so that
/// data of an earlier exchange never pass for this one's.
constexpr std::uint64_t pattern_word(std::uint64_t seed, std::size_t word) {
  std::uint64_t mixed = (word ^ (seed << 40U)) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 32U)) * 0xD6E8FEB86659FD93U;
  return mixed ^ (mixed >> 32U);
}

inline constexpr std::size_t pattern_word_bytes = sizeof(std::uint64_t);

/// The byte at `index` of the payload that `seed` selects.
constexpr std::byte pattern_byte(std::uint64_t seed, std::size_t index) {
  using Bytes = std::array<std::byte, pattern_word_bytes>;
  return std::bit_cast<Bytes>(
      pattern_word(seed, index / pattern_word_bytes))[index % pattern_word_bytes];
}

inline void fill_pattern(std::span<std::byte> payload, std::uint64_t seed) {
  for (std::size_t index = 0; index < payload.size(); index += pattern_word_bytes) {
    const std::uint64_t word = pattern_word(seed, index / pattern_word_bytes);
    std::memcpy(payload.data() + index, &word,
                std::min(pattern_word_bytes, payload.size() - index));
  }
}

/// The first index at which the payload differs from the one that `seed` selects.
inline std::optional<std::size_t> first_difference(std::span<const std::byte> payload,
                                                   std::uint64_t seed) {
  for (std::size_t index = 0; index < payload.size(); index += pattern_word_bytes) {
    const std::uint64_t word = pattern_word(seed, index / pattern_word_bytes);
    const std::size_t length = std::min(pattern_word_bytes, payload.size() - index);
    if (std::memcmp(payload.data() + index, &word, length) == 0) {
      continue;
    }
    while (payload[index] == pattern_byte(seed, index)) {
      ++index;
    }
    return index;
  }
  return std::nullopt;
}

}  // namespace halocline
