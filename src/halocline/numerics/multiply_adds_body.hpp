#pragma once

#include <cstring>

#include "halocline/numerics/multiply_adds.hpp"

namespace halocline::numerics {

/// Compiled once for each set of instructions, whose registers have this many bytes.
template <class Instructions, std::size_t register_bytes>
struct MultiplyAddsFor {
  // GCC forgets the attribute of an alias, and of a template's argument.
  // NOLINTBEGIN(modernize-use-using, modernize-avoid-c-arrays)
  typedef double Register __attribute__((vector_size(register_bytes)));
  static constexpr std::size_t registers = 12;  // of the 16 that the fewest have
  static constexpr std::size_t lanes = registers * register_bytes / sizeof(double);

  static void run(const double* start, double factor, double summand, std::int64_t rounds,
                  double* result) {
    Register chains[registers];
    static_assert(sizeof chains == lanes * sizeof(double));
    std::memcpy(chains, start, sizeof chains);
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
      for (Register& chain : chains) {
        chain = chain * factor + summand;
      }
    }
    std::memcpy(result, chains, sizeof chains);
  }
  // NOLINTEND(modernize-use-using, modernize-avoid-c-arrays)

  static constexpr MultiplyAdds table{.lanes = lanes, .run = run};
};

}  // namespace halocline::numerics
