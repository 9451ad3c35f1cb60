#pragma once

#include <cstddef>

namespace halocline {

inline constexpr std::size_t streaming_bytes = 16;

/// The unit of a streaming store: two numbers of one register.
using StreamedPair = double __attribute__((vector_size(streaming_bytes), may_alias));

#ifdef __x86_64__
inline constexpr bool has_streaming_stores = true;
/// Writes past the caches. The address is aligned to streaming_bytes.
// NOLINTNEXTLINE(misc-const-correctness): the instruction writes there
inline void store_streaming(StreamedPair* place, StreamedPair value) {
  asm volatile("movntpd %1, %0" : "=m"(*place) : "x"(value));
}
/// Orders these stores before later ones.
inline void finish_streaming() { asm volatile("sfence" ::: "memory"); }
#else
inline constexpr bool has_streaming_stores = false;
inline void store_streaming(StreamedPair* place, StreamedPair value) { *place = value; }
inline void finish_streaming() {}
#endif

}  // namespace halocline
