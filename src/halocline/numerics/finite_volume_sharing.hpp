#pragma once

#include "halocline/layout/blocks.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/numerics/cell_grid.hpp"
#include "halocline/route/route.hpp"

namespace halocline::numerics {

/// Which cells a rank of finite-volume dynamics owns. While air moves along layers: rows of some
/// levels, full circles of latitude. While it moves between layers, and in column physics: rows of
/// some longitudes, all levels. With one rank along the vertical the two are the same.
class FiniteVolumeSharing {
 public:
  static constexpr int least_rows = CellRows::ghosts;
  static constexpr int least_levels = 3;  // if levels are shared

  /// Throws Skip if a rank would get fewer rows or levels, or if the ranks do not fit.
  FiniteVolumeSharing(const CellGrid& grid, int levels, int ranks, int along_vertical);

  const layout::Blocks& layers() const { return layers_; }
  const layout::Blocks& columns() const { return columns_; }
  /// What a rank owns in either stage, in longitudes, rows and levels.
  layout::Box layers_of(int rank) const { return layers_.owned(rank).front().local; }
  layout::Box columns_of(int rank) const { return columns_.owned(rank).front().local; }
  CellRows rows_of(int rank) const;

  /// Ghost rows, at all levels, from the neighbours along latitude.
  route::Route halo(const mpi::Communicator& ranks) const;
  route::Route layers_to_columns(const mpi::Communicator& ranks) const;

 private:
  static void require(const CellGrid& grid, int levels, int ranks, int along_vertical);

  layout::Blocks layers_;
  layout::Blocks columns_;
};

}  // namespace halocline::numerics
