#pragma once

#include <cstddef>
#include <cstdint>

namespace halocline::numerics {

/// Cells along a side of what is solved exactly: errors grow by up to six times with each row.
inline constexpr int evp_side = 8;
inline constexpr int evp_cells = evp_side * evp_side;
/// With a ring of cells that stay 0.
inline constexpr int evp_stride = evp_side + 2;
inline constexpr int evp_padded_cells = evp_stride * evp_stride;
/// Squares that are solved side by side.
inline constexpr int evp_lanes = 4;
/// Weights of a cell's equation: its own, west, south, south-west, south-east, east, north-west,
/// north; all over the one of the north-east, if that cell is found from this equation.
inline constexpr int evp_weights = 8;

/// Squares of cells, one in each lane: [cell][lane] and so on, cells from west to east, then from
/// south to north.
struct EvpBatch {
  const double* weights;            // [cell][weight][lane]
  const double* follows;            // [cell][lane], 1 where the north-east is found from here, or
                                    // null: everywhere but in the last row and column
  const double* inverse_influence;  // [guess][left over][lane]
  const std::uint8_t* guesses;      // [guess][lane], places among the padded cells
  const std::uint8_t* left_over;    // [left over][lane], places among the cells
  int guess_count;                  // as many equations are left over
  const double* right;              // [cell][lane]
  double* rest;                     // [cell][lane]: what each equation gives, to work in
  double* solution;                 // [padded cell][lane]
};

/// Solves them, for the best instructions that this processor has.
void solve_evp(const EvpBatch& batch);

}  // namespace halocline::numerics
