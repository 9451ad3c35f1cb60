#pragma once

#include "halocline/layout/rank_grid.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// The ranks on a grid, counted along x, then y, then z, and the direction to measure. The extents
/// along y and z determine x; 0 along y is the squarest grid.
IntegerAxis ranks_along_y_axis(std::int64_t preset);
const IntegerAxis& ranks_along_z_axis();
const ChoiceAxis& direction_axis();

/// Throws Skip when the ranks do not fill such a grid.
layout::RankGrid grid_of(int ranks, std::int64_t along_y, std::int64_t along_z);
layout::RankGrid grid_of(const AxisValues& values, int ranks);

/// 0 for x, 1 for y, 2 for z.
std::size_t direction_of(const AxisValues& values);

/// The direction and the grid in words: "x of 4 × 2 × 1 ranks".
std::string direction_text(const AxisValues& values, const layout::RankGrid& grid);

}  // namespace halocline::workload
