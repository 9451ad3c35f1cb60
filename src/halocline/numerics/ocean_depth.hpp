#pragma once

#include <vector>

#include "halocline/base/large_vector.hpp"
#include "halocline/numerics/displaced_pole_grid.hpp"
#include "halocline/numerics/ocean_mask.hpp"

namespace halocline::numerics {

/// Depth in m of each cell of the mask, row by row: 60 + 5440 (1 - exp(-d / 350 km)), where d is
/// the distance to the coast; 0 on land.
///
/// Distances follow grid lines and diagonals from cell to cell, in two sweeps there and back, and
/// are within 8 % of the true ones. The coast is a shelf of 60 m, the deep sea 5500 m.
LargeVector<float> ocean_depth_m(const OceanMask& mask, const DisplacedPoleGrid& grid);

}  // namespace halocline::numerics
