#include "halocline/numerics/finite_volume_sharing.hpp"

#include <string>

#include "halocline/base/error.hpp"
#include "halocline/route/block_halo.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::numerics {
namespace {

using layout::Cuts;

Cuts cuts_of(int length, int parts) { return Cuts::even({.lower = 0, .upper = length}, parts); }

/// Ranks with the same rows are consecutive, so that remaps between the two stages stay among them.
layout::Blocks layers_among(const CellGrid& grid, int levels, int along_latitude,
                            int along_vertical) {
  std::vector<int> owners;
  for (int vertical = 0; vertical < along_vertical; ++vertical) {
    for (int latitude = 0; latitude < along_latitude; ++latitude) {
      owners.push_back(latitude * along_vertical + vertical);
    }
  }
  return {{cuts_of(grid.longitudes, 1), cuts_of(grid.latitudes, along_latitude),
           cuts_of(levels, along_vertical)},
          std::move(owners)};
}

}  // namespace

FiniteVolumeSharing::FiniteVolumeSharing(const CellGrid& grid, int levels, int ranks,
                                         int along_vertical)
    : layers_((require(grid, levels, ranks, along_vertical),
               layers_among(grid, levels, ranks / along_vertical, along_vertical))),
      columns_({cuts_of(grid.longitudes, along_vertical),
                cuts_of(grid.latitudes, ranks / along_vertical), cuts_of(levels, 1)}) {}

void FiniteVolumeSharing::require(const CellGrid& grid, int levels, int ranks, int along_vertical) {
  if (ranks % along_vertical != 0) {
    throw Skip("dynamics on " + std::to_string(ranks) + " ranks, " +
               std::to_string(along_vertical) +
               " of them along the vertical; allowed: multiples; choose another along_vertical");
  }
  const int rows = grid.latitudes / least_rows;
  const int most_levels = levels / least_levels;
  if (along_vertical > 1 && along_vertical > most_levels) {
    throw Skip(std::to_string(levels) + " levels on " + std::to_string(along_vertical) +
               " ranks; each takes at least " + std::to_string(least_levels) + "; allowed: up to " +
               std::to_string(most_levels) + " ranks along the vertical; choose along_vertical=" +
               std::to_string(std::max(most_levels, 1)) + " or more levels");
  }
  if (ranks / along_vertical > rows) {
    const bool shared = most_levels > along_vertical;
    throw Skip(
        std::to_string(grid.latitudes) + " latitudes on " + std::to_string(ranks / along_vertical) +
        " ranks; each takes at least " + std::to_string(least_rows) + "; allowed: up to " +
        std::to_string(rows) +
        " ranks along latitude; choose dynamics_ranks=" + std::to_string(rows * along_vertical) +
        (shared ? ", a larger along_vertical" : "") + " or more latitudes");
  }
}

CellRows FiniteVolumeSharing::rows_of(int rank) const {
  const layout::Box box = layers_of(rank);
  return {.begin = static_cast<int>(box.lower[1]),
          .end = static_cast<int>(box.upper[1]),
          .longitudes = static_cast<int>(box.extent(0))};
}

route::Route FiniteVolumeSharing::halo(const mpi::Communicator& ranks) const {
  return route::halo(layers_,
                     {.below = {0, CellRows::ghosts, 0, 0},
                      .above = {0, CellRows::ghosts, 0, 0},
                      .periodic = {},
                      .corners = false},
                     ranks);
}

route::Route FiniteVolumeSharing::layers_to_columns(const mpi::Communicator& ranks) const {
  return route::redistribution(layers_, columns_, ranks);
}

}  // namespace halocline::numerics
