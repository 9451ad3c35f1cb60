#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace halocline {

/// The pages that memory is to lie in.
enum class Pages { as_system, base, huge };

/// Memory, zero at first: from the allocator as any program's, or in pages of its own of the kind
/// that the kernel is asked for.
class Memory {
 public:
  /// Throws Error when there is no such memory.
  explicit Memory(std::size_t size_bytes, Pages pages = Pages::as_system);

  std::span<std::byte> bytes() { return {address_.get(), size_bytes_}; }
  std::span<const std::byte> bytes() const { return {address_.get(), size_bytes_}; }

 private:
  struct Release {
    std::size_t mapped_bytes;  // 0 for what the allocator gave
    void operator()(std::byte* address) const;
  };

  std::size_t size_bytes_;
  std::unique_ptr<std::byte, Release> address_;
};

}  // namespace halocline
