#pragma once

#include <random>
#include <string>

namespace halocline::test {

/// The bytes of a file as disks, copies cut short and editors damage them; never as they were.
inline std::string damaged(const std::string& sound, std::mt19937& random) {
  const auto draw = [&random](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  std::string bytes = sound;
  if (bytes.empty()) {
    return bytes;
  }
  const std::size_t at = draw(bytes.size());
  const std::size_t length = std::size_t{1} << draw(10);
  switch (draw(5)) {
    case 0:
      bytes[at] ^= static_cast<char>(1U << draw(8));
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, length, static_cast<char>(draw(256)));
      break;
    default:
      for (std::size_t byte = at; byte < at + length && byte < bytes.size(); ++byte) {
        bytes[byte] ^= static_cast<char>(1 + draw(255));
      }
  }
  return bytes;
}

}  // namespace halocline::test
