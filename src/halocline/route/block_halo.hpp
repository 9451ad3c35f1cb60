#pragma once

#include <array>
#include <optional>

#include "halocline/layout/blocks.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::route {

/// A grid whose upper edge along the second dimension is joined to itself, like the north of a
/// tripolar ocean grid: beyond it lies the same edge with the first dimension reversed.
///
/// With the first dimension x in lower ≤ x < upper, the cell n rows beyond the edge at x is the
/// cell n + skipped rows before the edge at lower + upper - 1 + shift - x, counted around the ring.
struct Fold {
  layout::Index shift = 0;    // 0: for centres of cells; -1, 1: for points on their sides
  layout::Index skipped = 0;  // rows that lie on the fold: 1 for points on its line
};

/// Ghost cells around each block, and where they come from.
struct Halo {
  using Widths = std::array<layout::Index, layout::max_dimensions>;

  Widths below{};  // ghost cells before the first index of a block, by dimension
  Widths above{};  // and beyond its last
  std::array<bool, layout::max_dimensions> periodic{};  // otherwise the grid's edges are closed
  bool corners = true;  // also ghost cells outside in two dimensions
  // Of the upper edge of the second dimension.
  // NOLINTNEXTLINE(readability-redundant-member-init): GCC warns where it is not designated
  std::optional<Fold> fold = {};
};

/// A rank's part in filling the ghost cells of all blocks of a layout, in one exchange.
///
/// Each ghost cell comes from the one block that owns it, which need not be a neighbour: halos may
/// be wider than blocks. The boxes leave out ghost cells beyond a closed edge and cells that nobody
/// owns. Source and destination are the same fields, ghost cells included. Fields may have more
/// dimensions than the layout; these travel whole, and may differ between fields. Computed from the
/// layout alone, without communication; the cost grows with the rank's blocks and those around
/// them. Throws Error for a halo that does not fit the layout.
Route halo(const layout::Blocks& blocks, const Halo& halo, int rank);

/// The same over the ranks of a communicator. Collective: throws the same Error on all ranks, also
/// when they pass different layouts or halos, or a layout names a rank that does not exist.
Route halo(const layout::Blocks& blocks, const Halo& halo, const mpi::Communicator& communicator);

}  // namespace halocline::route
