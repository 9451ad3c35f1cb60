#include "halocline/route/halo.hpp"

#include <string>

#include "halocline/base/error.hpp"

namespace halocline::route {

Route halo(const layout::Decomposition& decomposition, int rank, std::size_t dimension,
           layout::Index width, const HaloWidths& filled) {
  const layout::Index shortest = decomposition.shortest(dimension);
  if (width > shortest) {
    throw Error("a halo of width " + std::to_string(width) + " on blocks of " +
                std::to_string(shortest) + " indices along dimension " +
                std::to_string(dimension + 1) + "; allowed: up to " + std::to_string(shortest) +
                "; use fewer ranks along it");
  }
  layout::Box block = decomposition.owned(rank);
  for (std::size_t other = 0; other < layout::max_dimensions; ++other) {
    block = other == dimension ? block : block.widened(other, filled[other]);
  }
  const layout::Index lower = block.lower[dimension];
  const layout::Index upper = block.upper[dimension];
  const int below = decomposition.grid.neighbour(rank, dimension, -1);
  const int above = decomposition.grid.neighbour(rank, dimension, 1);
  // Receives in the order in which all ranks send, first downwards: where the neighbours below and
  // above are one rank, its first message fills the ghost cells above.
  return {.sends = {{.peer = below, .box = block.with(dimension, lower, lower + width)},
                    {.peer = above, .box = block.with(dimension, upper - width, upper)}},
          .receives = {{.peer = above, .box = block.with(dimension, upper, upper + width)},
                       {.peer = below, .box = block.with(dimension, lower - width, lower)}}};
}

}  // namespace halocline::route
