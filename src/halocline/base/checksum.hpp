#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace halocline {

/// CRC-32 as zlib and IEEE 802.3 compute it, fed piece by piece.
class Crc32 {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      remainder_ ^= static_cast<unsigned char>(byte);
      remainder_ = table[remainder_ & 0xFFU] ^ (remainder_ >> 8U);
    }
  }
  std::uint32_t value() const { return ~remainder_; }

 private:
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> remainders{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t remainder = byte;
      for (int bit = 0; bit < 8; ++bit) {
        remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? 0xEDB88320U : 0U);
      }
      remainders[byte] = remainder;
    }
    return remainders;
  }();

  std::uint32_t remainder_ = 0xFFFFFFFFU;
};

}  // namespace halocline
