#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace halocline {

/// The byte at `index` of the payload that `seed` names. It varies along the payload, because pages
/// of equal bytes may be shared by the kernel and read too fast, and with the seed, so that data of
/// an earlier exchange never pass for this one's.
constexpr std::byte pattern_byte(std::uint64_t seed, std::size_t index) {
  std::uint64_t mixed = (index ^ (seed << 40U)) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 32U)) * 0xD6E8FEB86659FD93U;
  return static_cast<std::byte>(mixed >> 56U);
}

inline void fill_pattern(std::span<std::byte> payload, std::uint64_t seed) {
  for (std::size_t index = 0; index < payload.size(); ++index) {
    payload[index] = pattern_byte(seed, index);
  }
}

/// The first index at which the payload differs from what `seed` names.
inline std::optional<std::size_t> first_difference(std::span<const std::byte> payload,
                                                   std::uint64_t seed) {
  for (std::size_t index = 0; index < payload.size(); ++index) {
    if (payload[index] != pattern_byte(seed, index)) {
      return index;
    }
  }
  return std::nullopt;
}

}  // namespace halocline
