#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace halocline {

/// Bytes of a core's second cache; 0 where the C library does not know them.
inline std::size_t second_cache_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  return static_cast<std::size_t>(std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), 0L));
#else
  return 0;
#endif
}

}  // namespace halocline
