#pragma once

#include <cstddef>
#include <limits>

#include "halocline/numerics/vector_kernels.hpp"

namespace halocline::numerics {

// Compiled once per instruction set, like vector_kernels_body.hpp.

template <class Set, class Real>
struct RecurrenceFor {
  // In double precision whatever the functions are kept in: errors grow with the degree, and the
  // seeds are as small as 1e-80.
  using Vector
      [[gnu::vector_size(Set::vector_bytes), gnu::aligned(sizeof(double)), gnu::may_alias]] =
          double;
  static constexpr int width = Set::vector_bytes / static_cast<int>(sizeof(double));
  using Kept
      [[gnu::vector_size(width * sizeof(Real)), gnu::aligned(sizeof(Real)), gnu::may_alias]] = Real;
  static constexpr int vectors_of_panel = pairs_in_panel / width;

  // What single precision would keep as a subnormal number, slow to make and to use, is 0.
  [[gnu::always_inline]] static Kept kept(Vector value) {
    if constexpr (sizeof(Real) < sizeof(double)) {
      constexpr double least = std::numeric_limits<Real>::min();
      value = (value < least) & (value > -least) ? Vector{} : value;
    }
    return __builtin_convertvector(value, Kept);
  }

  // Each value waits for the one before, so four vectors take turns. Which product is fused with
  // the difference is the compiler's choice; a test checks that it is the same for any number of
  // panels.
  template <int Panels>
  static void panels(const LegendreRecurrence<Real>& recurrence, int first) {
    constexpr int vectors = Panels * vectors_of_panel;
    // NOLINTBEGIN(modernize-avoid-c-arrays)
    Vector sine[vectors];
    Vector value[vectors];
    Vector before[vectors] = {};
    Real* to[2][Panels];
    // NOLINTEND(modernize-avoid-c-arrays)
    for (int vector = 0; vector < vectors; ++vector) {
      const std::ptrdiff_t pair =
          std::ptrdiff_t{first} * pairs_in_panel + std::ptrdiff_t{vector} * width;
      sine[vector] = *reinterpret_cast<const Vector*>(recurrence.sines + pair);
      value[vector] = *reinterpret_cast<const Vector*>(recurrence.seeds + pair);
    }
    for (int panel = 0; panel < Panels; ++panel) {
      to[0][panel] = recurrence.even + (first + panel) * recurrence.even_step;
      to[1][panel] = recurrence.odd + (first + panel) * recurrence.odd_step;
    }
    const RecurrenceStep* step = recurrence.steps;
    for (int degree = 0; degree < recurrence.degrees; ++degree, ++step) {
      for (int vector = 0; vector < vectors; ++vector) {
        Real* const place = to[degree % 2][vector / vectors_of_panel] +
                            std::ptrdiff_t{degree / 2} * pairs_in_panel +
                            vector % vectors_of_panel * width;
        *reinterpret_cast<Kept*>(place) = kept(value[vector]);
        const Vector next =
            step->sine_factor * sine[vector] * value[vector] - step->before_factor * before[vector];
        before[vector] = value[vector];
        value[vector] = next;
      }
    }
  }

  static void legendre(const LegendreRecurrence<Real>& recurrence) {
    constexpr int together = 4 / vectors_of_panel;
    int panel = 0;
    for (; panel + together <= recurrence.panels; panel += together) {
      panels<together>(recurrence, panel);
    }
    for (; panel < recurrence.panels; ++panel) {
      panels<1>(recurrence, panel);
    }
  }
};

}  // namespace halocline::numerics
