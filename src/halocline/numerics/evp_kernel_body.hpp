#pragma once

#include <cstddef>

#include "halocline/numerics/evp_kernel.hpp"

namespace halocline::numerics {

// Compiled once per instruction set, like KernelsFor: nothing here may be shared with other files.
template <class Set>
struct EvpKernelFor {
  using Vector [[gnu::vector_size(evp_lanes * sizeof(double)), gnu::aligned(sizeof(double)),
                 gnu::may_alias]] = double;

  static Vector& at(double* place) { return *reinterpret_cast<Vector*>(place); }
  static const Vector& at(const double* place) { return *reinterpret_cast<const Vector*>(place); }

  static double* padded(const EvpBatch& batch, std::ptrdiff_t column, std::ptrdiff_t row) {
    return batch.solution + ((row + 1) * evp_stride + column + 1) * evp_lanes;
  }

  /// Computes each cell from the equation to its south-west, if that one yields it.
  template <bool whole>
  [[gnu::always_inline]] static void march(const EvpBatch& batch) {
    for (std::ptrdiff_t row = 0; row < evp_side; ++row) {
      const double* weights = batch.weights + row * evp_side * evp_weights * evp_lanes;
      const double* const below = padded(batch, 0, row - 1);
      const double* const here = padded(batch, 0, row);
      double* const above = padded(batch, 0, row + 1);
      Vector south_west = at(below - evp_lanes);
      Vector south = at(below);
      Vector west = at(here - evp_lanes);
      Vector centre = at(here);
      Vector north_west = at(above - evp_lanes);
      Vector north = at(above);
      for (std::ptrdiff_t column = 0; column < evp_side; ++column) {
        const std::ptrdiff_t cell = (row * evp_side + column) * evp_lanes;
        const std::ptrdiff_t next = (column + 1) * evp_lanes;
        const auto weight = [&](std::ptrdiff_t which) { return at(weights + which * evp_lanes); };
        const Vector south_east = at(below + next);
        const Vector east = at(here + next);
        // North comes last: the previous equation has just produced it.
        Vector rest = weight(0) * (at(batch.right + cell) - centre) - weight(1) * west -
                      weight(2) * south - weight(3) * south_west - weight(4) * south_east -
                      weight(5) * east - weight(6) * north_west;
        rest -= weight(7) * north;
        at(batch.rest + cell) = rest;
        Vector north_east = at(above + next);
        if constexpr (whole) {
          if (row + 1 < evp_side && column + 1 < evp_side) {
            north_east = rest;
            at(above + next) = rest;
          }
        } else {
          north_east += at(batch.follows + cell) * rest;
          at(above + next) = north_east;
        }
        weights += std::ptrdiff_t{evp_weights} * evp_lanes;
        south_west = south;
        south = south_east;
        west = centre;
        centre = east;
        north_west = north;
        north = north_east;
      }
    }
  }

  static void clear(const EvpBatch& batch) {
    for (std::ptrdiff_t cell = 0; cell < evp_padded_cells; ++cell) {
      at(batch.solution + cell * evp_lanes) = Vector{};
    }
  }

  template <bool whole>
  static void solve_as(const EvpBatch& batch) {
    double left_over[evp_cells * evp_lanes];  // NOLINT(modernize-avoid-c-arrays): as in KernelsFor
    clear(batch);
    march<whole>(batch);
    const std::ptrdiff_t count = batch.guess_count;
    for (std::ptrdiff_t place = 0; place < count * evp_lanes; ++place) {
      left_over[place] =
          batch.rest[std::ptrdiff_t{batch.left_over[place]} * evp_lanes + place % evp_lanes];
    }
    clear(batch);
    const double* factors = batch.inverse_influence;
    for (std::ptrdiff_t guess = 0; guess < count; ++guess) {
      Vector value{};
      Vector other{};
      std::ptrdiff_t equation = 0;
      for (; equation + 1 < count; equation += 2) {
        value += at(factors) * at(left_over + equation * evp_lanes);
        other += at(factors + evp_lanes) * at(left_over + (equation + 1) * evp_lanes);
        factors += std::ptrdiff_t{2} * evp_lanes;
      }
      if (equation < count) {
        value += at(factors) * at(left_over + equation * evp_lanes);
        factors += evp_lanes;
      }
      value += other;
      for (std::ptrdiff_t lane = 0; lane < evp_lanes; ++lane) {
        const std::ptrdiff_t guessed = batch.guesses[guess * evp_lanes + lane];
        batch.solution[guessed * evp_lanes + lane] += value[lane];
      }
    }
    march<whole>(batch);
  }

  static void solve(const EvpBatch& batch) {
    if (batch.follows == nullptr) {
      solve_as<true>(batch);
    } else {
      solve_as<false>(batch);
    }
  }
};

}  // namespace halocline::numerics
