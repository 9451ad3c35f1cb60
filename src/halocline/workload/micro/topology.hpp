#pragma once

#include "halocline/layout/rank_grid.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// How the ranks lie on a grid of three dimensions, and which of its directions is meant: rank 0 at
/// its corner, ranks counted along x, then y, then z. What the extents along y and z leave is x.
const IntegerAxis& ranks_along_y_axis();
const IntegerAxis& ranks_along_z_axis();
const ChoiceAxis& direction_axis();

/// Throws Skip when the ranks do not fill such a grid.
layout::RankGrid grid_of(const AxisValues& values, int ranks);

/// 0 for x, 1 for y, 2 for z.
std::size_t direction_of(const AxisValues& values);

/// The grid in words: "4 × 2 × 1 ranks".
std::string text_of(const layout::RankGrid& grid);

}  // namespace halocline::workload
