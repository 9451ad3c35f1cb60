#pragma once

#include <cstddef>
#include <span>

namespace halocline {

/// Fetches cache lines that will be written from the cores that have read them: all at once, where
/// stores would ask for one after the other.
inline void claim_for_writing(std::span<const std::byte> memory) {
  constexpr std::size_t line_bytes = 64;
  for (std::size_t at = 0; at < memory.size(); at += line_bytes) {
#ifdef __x86_64__
    // The compiler's own prefetch is for reading unless it knows of a newer processor.
    asm volatile("prefetchw %0" : : "m"(memory[at]));
#else
    __builtin_prefetch(&memory[at], 1);
#endif
  }
}

}  // namespace halocline
