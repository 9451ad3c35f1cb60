#pragma once

#include <array>
#include <cstring>

#include "halocline/numerics/multiply_adds.hpp"

namespace halocline::numerics {

/// Compiled once for each set of instructions, whose registers have this many bytes.
template <class Instructions, std::size_t register_bytes>
struct MultiplyAddsFor {
  typedef double Register
      __attribute__((vector_size(register_bytes)));  // NOLINT(modernize-use-using)
  static constexpr std::size_t registers = 12;       // of the 16 that the fewest have
  static constexpr std::size_t lanes = registers * register_bytes / sizeof(double);

  static void run(const double* start, double factor, double summand, std::int64_t rounds,
                  double* result) {
    Register chains[registers];
    std::memcpy(chains, start, sizeof chains);
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
      for (std::size_t each = 0; each < registers; ++each) {
        chains[each] = chains[each] * factor + summand;
      }
    }
    std::memcpy(result, chains, sizeof chains);
  }

  static constexpr MultiplyAdds table{.lanes = lanes, .run = run};
};

}  // namespace halocline::numerics
