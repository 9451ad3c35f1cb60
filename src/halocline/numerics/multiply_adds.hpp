#pragma once

#include <cstddef>
#include <cstdint>

namespace halocline::numerics {

/// A processor's arithmetic at its best: chains of multiply-adds that stay in registers.
struct MultiplyAdds {
  static constexpr std::size_t most_lanes = 96;

  std::size_t lanes;  // chains side by side: enough to hide the latency of each
  /// Of each lane: result = start, then so many times result × factor + summand.
  void (*run)(const double* start, double factor, double summand, std::int64_t rounds,
              double* result);
};

/// Those with the widest instructions that this processor has.
const MultiplyAdds& multiply_adds();

}  // namespace halocline::numerics
