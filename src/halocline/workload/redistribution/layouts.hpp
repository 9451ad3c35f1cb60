#pragma once

#include <string_view>

#include "halocline/layout/blocks.hpp"
#include "halocline/workload/redistribution/waves.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// Points of the redistributed grid, along x, y and z.
const ChoiceAxis& grid_axis();

/// How source and destination are cut into blocks.
const ChoiceAxis& layouts_axis();

/// Both sides of a redistribution.
struct Layouts {
  layout::Blocks source;
  layout::Blocks destination;
};

/// The layouts of this name for this many ranks; only x and y are cut.
///
/// `table1`: the blocks of Li 2007, Table 1, which move as much as possible; for other numbers of
/// ranks, its pattern: source near a square, destination with twice the parts along x and half
/// along y, or source transposed. `transposed`: slabs across x, then across y. `cyclic`: the source
/// as in `table1`, the destination distributed in blocks of 16 indices.
Layouts layouts_of(std::string_view name, const layout::Box& grid, int ranks);

enum class End { source, destination };

/// A rank's points on this side if single points are distributed: as many as on any other rank, in
/// an order in which no two consecutive points are also consecutive on the other side.
ListedPoints scattered(const layout::Box& grid, End end, int rank, int ranks);

/// The grid that a value of grid_axis() names.
layout::Box grid_of_text(std::string_view text);

}  // namespace halocline::workload
