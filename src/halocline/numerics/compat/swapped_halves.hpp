#pragma once

namespace halocline::numerics {

/// The second half of a vector of 8 or 16 numbers, then the first.
template <class Vector>
[[gnu::always_inline]] inline Vector swapped_halves(Vector vector) {
  constexpr bool of_eight = sizeof(vector) / sizeof(vector[0]) == 8;
#if __has_builtin(__builtin_shufflevector)
  if constexpr (of_eight) {
    return __builtin_shufflevector(vector, vector, 4, 5, 6, 7, 0, 1, 2, 3);
  } else {
    return __builtin_shufflevector(vector, vector, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5,
                                   6, 7);
  }
#else  // GCC before 12
  if constexpr (of_eight) {
    using Places [[gnu::vector_size(64)]] = long;
    return __builtin_shuffle(vector, Places{4, 5, 6, 7, 0, 1, 2, 3});
  } else {
    using Places [[gnu::vector_size(64)]] = int;
    return __builtin_shuffle(vector, Places{8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7});
  }
#endif
}

}  // namespace halocline::numerics
