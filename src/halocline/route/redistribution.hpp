#pragma once

#include "halocline/layout/blocks.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::route {

/// A box of the source's grid and its target in the destination's: both have the same extents.
struct Region {
  layout::Box source;
  layout::Box destination;
};

/// All of the grid that both layouts have. Throws Error when their grids have different indices.
Region whole_grid(const layout::Blocks& source, const layout::Blocks& destination);

/// Throws Error if a layout, of the source or the destination (`side`), names a rank beyond `size`.
void require_ranks(const layout::Blocks& layout, const char* side, int size);

/// A rank's part in moving a grid from one layout to another: each index goes from its owner at the
/// source to its owner at the destination.
///
/// Computed from the layouts alone, without communication, by interval search: the cost grows with
/// the boxes that the rank actually sends and receives, and with the logarithm of the parts. Boxes
/// are in the local indices of the side's own layout (layout::Cuts), and a leg's `part` is the
/// position of its block among Blocks::owned(rank). The legs include boxes for this rank itself,
/// but no indices that nobody owns on either side.
/// Throws Error when the grids have different indices. ESMF's FieldBundleRedistStore; Li 2007.
Route redistribution(const layout::Blocks& source, const layout::Blocks& destination, int rank);

/// The same for a region of the grids, which may differ. Throws Error when the region has different
/// extents on the two sides or is not inside a grid.
Route redistribution(const layout::Blocks& source, const layout::Blocks& destination, int rank,
                     const Region& region);

/// The same over the ranks of a communicator. Collective: throws the same Error on all ranks, also
/// when they pass different layouts or one names a rank that the communicator lacks.
Route redistribution(const layout::Blocks& source, const layout::Blocks& destination,
                     const mpi::Communicator& communicator);
Route redistribution(const layout::Blocks& source, const layout::Blocks& destination,
                     const mpi::Communicator& communicator, const Region& region);

}  // namespace halocline::route
