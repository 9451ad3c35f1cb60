#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "halocline/base/units.hpp"

namespace halocline {

inline constexpr std::size_t huge_page_bytes = 2 * mebibyte;

/// The kind of pages to use.
enum class Pages { as_system, base, huge };

/// Zeroed memory: from the allocator, like any program's, or in its own pages of the requested
/// kind.
class Memory {
 public:
  /// Throws Error when the kernel has no such memory left.
  explicit Memory(std::size_t size_bytes, Pages pages = Pages::as_system);

  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  struct Unmap {
    std::size_t mapped_bytes;
    void operator()(std::byte* address) const;
  };

  std::vector<std::byte> allocated_;
  std::unique_ptr<std::byte, Unmap> mapped_;
  std::span<std::byte> bytes_;  // in one of the two
};

}  // namespace halocline
