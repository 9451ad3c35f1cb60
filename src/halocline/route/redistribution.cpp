#include "halocline/route/redistribution.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "halocline/base/error.hpp"
#include "halocline/base/identity.hpp"
#include "halocline/mpi/agreement.hpp"

namespace halocline::route {
namespace {

using layout::Blocks;
using layout::Box;
using layout::Index;
using layout::Interval;
using layout::max_dimensions;
using layout::Piece;
using layout::RankGrid;

Interval along(const Box& box, std::size_t dimension) {
  return {.lower = box.lower[dimension], .upper = box.upper[dimension]};
}

/// Indices of one dimension that this rank's block shares with one place of the other side.
struct Shared {
  int place;       // of the other side, along this dimension
  Index lower;     // on this side, as the grid counts
  Interval local;  // as this rank's block counts
};

/// A leg before sorting: both ends sort theirs by where the box lies in the source's grid.
struct Found {
  Leg leg;
  std::array<Index, max_dimensions> source_lower;
};

/// One side as seen by its own rank.
struct End {
  const Blocks& own;
  const Blocks& other;
  Box own_region;
  Box other_region;
};

std::vector<Shared> shared_along(const End& end, std::size_t dimension, int place) {
  std::vector<Shared> shared;
  const Index shift = end.other_region.lower[dimension] - end.own_region.lower[dimension];
  end.own.cuts(dimension).owned_in(place, along(end.own_region, dimension), [&](const Piece& own) {
    const Interval there{.lower = own.indices.lower + shift, .upper = own.indices.upper + shift};
    end.other.cuts(dimension).owners_in(there, [&](int other_place, const Piece& other) {
      const Index lower = other.indices.lower - shift;
      const Index local = own.local_lower + (lower - own.indices.lower);
      shared.push_back({.place = other_place,
                        .lower = lower,
                        .local = {.lower = local, .upper = local + other.indices.length()}});
    });
  });
  return shared;
}

/// Each combination of what the dimensions share is a box with one peer.
void find_boxes(const End& end, int part, int place, const Box& source_region,
                std::vector<Found>& all) {
  const RankGrid::Place at = end.own.parts().place(place);
  std::array<std::vector<Shared>, max_dimensions> shared;
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    shared[dimension] = shared_along(end, dimension, at[dimension]);
  }
  for (const Shared& l : shared[3]) {
    for (const Shared& k : shared[2]) {
      for (const Shared& j : shared[1]) {
        for (const Shared& i : shared[0]) {
          const std::array chosen{i, j, k, l};
          const int peer =
              end.other.owner(end.other.parts().rank({i.place, j.place, k.place, l.place}));
          if (peer == layout::nobody) {
            continue;
          }
          Found found{.leg = {.peer = peer, .box = {}, .part = part}, .source_lower = {}};
          for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
            const Interval local = chosen[dimension].local;
            found.leg.box = found.leg.box.with(dimension, local.lower, local.upper);
            found.source_lower[dimension] = chosen[dimension].lower -
                                            end.own_region.lower[dimension] +
                                            source_region.lower[dimension];
          }
          all.push_back(found);
        }
      }
    }
  }
}

std::vector<Leg> legs(const End& end, int rank, const Box& source_region) {
  std::vector<Found> all;
  int part = 0;
  for (const int place : end.own.places_of(rank)) {
    find_boxes(end, part++, place, source_region, all);
  }
  const auto order = [](const Found& found) {
    const auto& lower = found.source_lower;
    return std::tuple(found.leg.peer, lower[3], lower[2], lower[1], lower[0]);
  };
  std::ranges::sort(all, {}, order);
  std::vector<Leg> in_order;
  in_order.reserve(all.size());
  for (const Found& found : all) {
    in_order.push_back(found.leg);
  }
  return in_order;
}

/// Whether a grid has just the index 0 along a dimension, as where it is not used.
bool leaves_unused(const Blocks& blocks, std::size_t dimension) {
  const Interval whole = blocks.cuts(dimension).whole();
  return dimension > 0 && whole.lower == 0 && whole.upper == 1;
}

std::string text_of(const Box& box) {
  std::string text;
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    text += (dimension == 0 ? "" : " x ") + std::to_string(box.lower[dimension]) + ":" +
            std::to_string(box.upper[dimension]);
  }
  return text;
}

void require_region(const Blocks& source, const Blocks& destination, const Region& region) {
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    for (const layout::Box& box : {region.source, region.destination}) {
      if (box.upper[dimension] < box.lower[dimension]) {
        throw Error("a region of " + text_of(box) + " ends before it begins in dimension " +
                    std::to_string(dimension + 1) + "; give the lower bound first");
      }
    }
    if (region.source.extent(dimension) != region.destination.extent(dimension)) {
      throw Error("a region of " + text_of(region.source) + " at the source and " +
                  text_of(region.destination) + " at the destination differs in dimension " +
                  std::to_string(dimension + 1) + "; give both the same extents");
    }
    if (region.source.extent(dimension) == 0 && leaves_unused(source, dimension) &&
        leaves_unused(destination, dimension)) {
      throw Error("a region of " + text_of(region.source) + " is empty along dimension " +
                  std::to_string(dimension + 1) +
                  ", which neither grid uses; give the bounds 0 and 1 there");
    }
  }
  if (!source.global().contains(region.source)) {
    throw Error("the region " + text_of(region.source) + " is not inside the source's grid " +
                text_of(source.global()) + "; make it smaller");
  }
  if (!destination.global().contains(region.destination)) {
    throw Error("the region " + text_of(region.destination) +
                " is not inside the destination's grid " + text_of(destination.global()) +
                "; make it smaller");
  }
}

std::uint64_t identity(const Blocks& source, const Blocks& destination,
                       const std::optional<Region>& region) {
  Identity identity;
  identity.add(source.identity());
  identity.add(destination.identity());
  if (region) {
    for (const Box& box : {region->source, region->destination}) {
      identity.add(std::span<const Index>(box.lower));
      identity.add(std::span<const Index>(box.upper));
    }
  }
  return identity.value();
}

Route over(const Blocks& source, const Blocks& destination, const mpi::Communicator& communicator,
           const std::optional<Region>& region) {
  mpi::require_same(communicator, identity(source, destination, region), "layouts");
  Route route;
  mpi::agreed(communicator, [&] {
    require_ranks(source, "source", communicator.size());
    require_ranks(destination, "destination", communicator.size());
    route = region ? redistribution(source, destination, communicator.rank(), *region)
                   : redistribution(source, destination, communicator.rank());
  });
  return route;
}

}  // namespace

void require_ranks(const Blocks& layout, const char* side, int size) {
  if (layout.ranks() > size) {
    throw Error("the " + std::string{side} + "'s layout names rank " +
                std::to_string(layout.ranks() - 1) + "; allowed: 0 to " + std::to_string(size - 1) +
                ", the ranks of the communicator; cut it into fewer blocks or name other owners");
  }
}

Region whole_grid(const Blocks& source, const Blocks& destination) {
  if (source.global() != destination.global()) {
    throw Error("the source's grid is " + text_of(source.global()) + ", the destination's " +
                text_of(destination.global()) +
                "; both must have the same indices; give a region to move a part of a grid");
  }
  return {.source = source.global(), .destination = destination.global()};
}

Route redistribution(const Blocks& source, const Blocks& destination, int rank) {
  return redistribution(source, destination, rank, whole_grid(source, destination));
}

Route redistribution(const Blocks& source, const Blocks& destination, int rank,
                     const Region& region) {
  require_region(source, destination, region);
  const End sending{.own = source,
                    .other = destination,
                    .own_region = region.source,
                    .other_region = region.destination};
  const End receiving{.own = destination,
                      .other = source,
                      .own_region = region.destination,
                      .other_region = region.source};
  return {.sends = legs(sending, rank, region.source),
          .receives = legs(receiving, rank, region.source)};
}

Route redistribution(const Blocks& source, const Blocks& destination,
                     const mpi::Communicator& communicator) {
  return over(source, destination, communicator, std::nullopt);
}

Route redistribution(const Blocks& source, const Blocks& destination,
                     const mpi::Communicator& communicator, const Region& region) {
  return over(source, destination, communicator, region);
}

}  // namespace halocline::route
