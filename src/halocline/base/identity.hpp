#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace halocline {

/// A digest of the input, in order: 64-bit FNV-1a.
class Identity {
 public:
  void add(std::uint64_t number) {
    for (unsigned byte = 0; byte < sizeof number; ++byte) {
      mix(static_cast<unsigned char>(number >> (8 * byte)));
    }
  }
  void add(std::span<const std::int64_t> numbers) {
    add(numbers.size());
    for (const std::int64_t number : numbers) {
      add(static_cast<std::uint64_t>(number));
    }
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char character : text) {
      mix(static_cast<unsigned char>(character));
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  void mix(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001B3U; }

  std::uint64_t value_ = 0xCBF29CE484222325U;
};

}  // namespace halocline
