#pragma once

#include <cstddef>
#include <cstdint>

namespace halocline::numerics {

/// Cells along a side of a square that is solved exactly: errors grow up to sixfold with each row.
inline constexpr int evp_side = 8;
inline constexpr int evp_cells = evp_side * evp_side;
/// Including a ring of cells that stay 0.
inline constexpr int evp_stride = evp_side + 2;
inline constexpr int evp_padded_cells = evp_stride * evp_stride;
/// Squares solved side by side.
inline constexpr int evp_lanes = 4;
/// Weights of a cell's equation: its own, west, south, south-west, south-east, east, north-west,
/// north. All are divided by the north-east weight if the equation yields that cell.
inline constexpr int evp_weights = 8;

/// Squares of cells, one per lane: [cell][lane] and so on. Cells go from west to east, then from
/// south to north.
struct EvpBatch {
  const double* weights;            // [cell][weight][lane]
  const double* follows;            // [cell][lane], 1 where the equation yields the north-east, or
                                    // null: everywhere but in the last row and column
  const double* inverse_influence;  // [guess][left over][lane]
  const std::uint8_t* guesses;      // [guess][lane], indices of padded cells
  const std::uint8_t* left_over;    // [left over][lane], indices of cells
  int guess_count;                  // also the number of left-over equations
  const double* right;              // [cell][lane]
  double* rest;                     // [cell][lane]: result of each equation, workspace
  double* solution;                 // [padded cell][lane]
};

/// Solves a batch with the best instructions that this processor has.
void solve_evp(const EvpBatch& batch);

}  // namespace halocline::numerics
