#include "halocline/route/block_halo.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

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

/// Ghost cells along one dimension that one place owns.
struct Arriving {
  int place;
  Interval source;
  Interval ghost;
};

/// A box of ghost cells and the box of one place that fills it.
struct Arrival {
  int place;
  Box source;
  Box ghost;
  unsigned reversed;
};

Index ring(const Interval& whole, Index index) {
  const Index behind = (index - whole.lower) % whole.length();
  return whole.lower + (behind < 0 ? behind + whole.length() : behind);
}

/// The layout and its halo, as seen from any place.
class Surroundings {
 public:
  Surroundings(const Blocks& blocks, const Halo& halo) : blocks_(blocks), halo_(halo) {}

  /// Everything that fills the ghost cells of a place, in a deterministic order.
  std::vector<Arrival> arrivals(int place) const {
    std::vector<Arrival> all;
    const Box own = blocks_.local(place);
    if (own.empty()) {
      return all;
    }
    constexpr int regions = 81;  // three for each dimension: before the block, in it, beyond it
    for (int region = 0; region < regions; ++region) {
      std::array<Interval, max_dimensions> ghost{};
      int outside = 0;
      bool any = true;
      for (std::size_t dimension = 0, rest = static_cast<std::size_t>(region);
           dimension < max_dimensions; ++dimension, rest /= 3) {
        ghost[dimension] = part_of(own, dimension, rest % 3);
        any = any && ghost[dimension].length() > 0;
        outside += rest % 3 == inside ? 0 : 1;
      }
      if (any && outside > 0 && (outside == 1 || halo_.corners)) {
        add(ghost, false, all);
        if (halo_.fold) {
          add(ghost, true, all);
        }
      }
    }
    return all;
  }

  /// Places whose ghost cells may be cells of a place, and perhaps others.
  std::set<int> takers(int place) const {
    std::set<int> all;
    const Box own = blocks_.local(place);
    if (own.empty()) {
      return all;
    }
    std::array<Interval, max_dimensions> reach{};
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      reach[dimension] = {.lower = own.lower[dimension] - halo_.above[dimension],
                          .upper = own.upper[dimension] + halo_.below[dimension]};
    }
    add_owners(reach, all);
    if (halo_.fold) {
      const Interval rows = blocks_.cuts(1).whole();
      reach[0] = mirrored({.lower = own.lower[0], .upper = own.upper[0]});
      reach[0] = {.lower = reach[0].lower - halo_.above[0],
                  .upper = reach[0].upper + halo_.below[0]};
      reach[1] = {.lower = rows.upper - halo_.above[1], .upper = rows.upper};
      if (own.upper[1] > rows.upper - fold_.skipped - halo_.above[1]) {
        add_owners(reach, all);
      }
    }
    return all;
  }

 private:
  static constexpr std::size_t inside = 1;

  Interval part_of(const Box& own, std::size_t dimension, std::size_t part) const {
    const Index lower = own.lower[dimension];
    const Index upper = own.upper[dimension];
    if (part == inside) {
      return {.lower = lower, .upper = upper};
    }
    return part < inside ? Interval{.lower = lower - halo_.below[dimension], .upper = lower}
                         : Interval{.lower = upper, .upper = upper + halo_.above[dimension]};
  }

  /// Where the fold puts the indices of the first dimension; its own inverse.
  Interval mirrored(const Interval& along) const {
    const Interval whole = blocks_.cuts(0).whole();
    const Index sum = whole.lower + whole.upper - 1 + fold_.shift;
    return {.lower = sum - along.upper + 1, .upper = sum - along.lower + 1};
  }

  /// Calls visit(ghost, source) for the parts of an interval inside the grid, wrapped around it
  /// where it is periodic.
  template <class Visit>
  void in_grid(std::size_t dimension, const Interval& ghost, Visit visit) const {
    const Interval whole = blocks_.cuts(dimension).whole();
    if (!halo_.periodic[dimension]) {
      const Interval within = ghost.intersection(whole);
      visit(within, within);
      return;
    }
    for (Index begin = ghost.lower; begin < ghost.upper;) {
      const Index source = ring(whole, begin);
      const Index length = std::min(ghost.upper - begin, whole.upper - source);
      visit(Interval{.lower = begin, .upper = begin + length},
            Interval{.lower = source, .upper = source + length});
      begin += length;
    }
  }

  std::vector<Arriving> along(std::size_t dimension, const Interval& ghost) const {
    std::vector<Arriving> all;
    in_grid(dimension, ghost, [&](const Interval& here, const Interval& there) {
      blocks_.cuts(dimension).owners_in(there, [&](int place, const Piece& piece) {
        const Index lower = here.lower + piece.indices.lower - there.lower;
        all.push_back({.place = place,
                       .source = piece.indices,
                       .ghost = {.lower = lower, .upper = lower + piece.indices.length()}});
      });
    });
    return all;
  }

  /// The first dimension beyond the fold: sources in order, ghost cells reversed.
  std::vector<Arriving> across(const Interval& ghost) const {
    std::vector<Arriving> all = along(0, mirrored(ghost));
    for (Arriving& each : all) {
      each.ghost = mirrored(each.ghost);
    }
    return all;
  }

  /// The second dimension beyond the fold: the rows before it.
  std::vector<Arriving> beyond(const Interval& ghost) const {
    const Index edge = blocks_.cuts(1).whole().upper;
    const Index first = std::max(ghost.lower, edge);
    const Index sum = 2 * edge - 1 - fold_.skipped;
    std::vector<Arriving> all;
    const Interval rows{.lower = sum - ghost.upper + 1, .upper = sum - first + 1};
    blocks_.cuts(1).owners_in(rows, [&](int place, const Piece& piece) {
      all.push_back({.place = place,
                     .source = piece.indices,
                     .ghost = {.lower = sum - piece.indices.upper + 1,
                               .upper = sum - piece.indices.lower + 1}});
    });
    return all;
  }

  void add(const std::array<Interval, max_dimensions>& ghost, bool folded,
           std::vector<Arrival>& all) const {
    std::array<std::vector<Arriving>, max_dimensions> each;
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      each[dimension] = folded && dimension == 0   ? across(ghost[0])
                        : folded && dimension == 1 ? beyond(ghost[1])
                                                   : along(dimension, ghost[dimension]);
    }
    constexpr unsigned first_two = 0b11;
    for (const Arriving& l : each[3]) {
      for (const Arriving& k : each[2]) {
        for (const Arriving& j : each[1]) {
          for (const Arriving& i : each[0]) {
            const std::array chosen{i, j, k, l};
            Arrival arrival{.place = blocks_.parts().rank({i.place, j.place, k.place, l.place}),
                            .source = {},
                            .ghost = {},
                            .reversed = folded ? first_two : 0};
            for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
              const Arriving& part = chosen[dimension];
              arrival.source = arrival.source.with(dimension, part.source.lower, part.source.upper);
              arrival.ghost = arrival.ghost.with(dimension, part.ghost.lower, part.ghost.upper);
            }
            all.push_back(arrival);
          }
        }
      }
    }
  }

  void add_owners(const std::array<Interval, max_dimensions>& reach, std::set<int>& all) const {
    std::array<std::vector<Arriving>, max_dimensions> each;
    for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
      each[dimension] = along(dimension, reach[dimension]);
    }
    for (const Arriving& l : each[3]) {
      for (const Arriving& k : each[2]) {
        for (const Arriving& j : each[1]) {
          for (const Arriving& i : each[0]) {
            all.insert(blocks_.parts().rank({i.place, j.place, k.place, l.place}));
          }
        }
      }
    }
  }

  const Blocks& blocks_;
  const Halo& halo_;
  const Fold fold_ = halo_.fold.value_or(Fold{});
};

std::string named(std::size_t dimension) { return "dimension " + std::to_string(dimension + 1); }

void require_fold(const Blocks& blocks, const Halo& halo, const Fold& fold) {
  if (!halo.periodic[0] || halo.periodic[1]) {
    throw Error(std::string{"a fold of a grid that is "} +
                (halo.periodic[1] ? "periodic along dimension 2" : "closed along dimension 1") +
                "; allowed: periodic along dimension 1, and not along dimension 2, whose upper "
                "edge is folded; set periodic accordingly or remove the fold");
  }
  const Index rows = blocks.global().extent(1);
  if (fold.skipped < 0 || fold.skipped + halo.above[1] > rows) {
    throw Error("a fold that skips " + std::to_string(fold.skipped) + " rows, with a halo of " +
                std::to_string(halo.above[1]) + " above it, on a grid of " + std::to_string(rows) +
                " rows; allowed: 0 or more skipped rows, which with the halo are no more than the "
                "grid's; skip 1 for points on the fold, 0 for others");
  }
}

void require_halo(const Blocks& blocks, const Halo& halo) {
  const Box grid = blocks.global();
  for (std::size_t dimension = 0; dimension < max_dimensions; ++dimension) {
    const Index narrowest = std::min(halo.below[dimension], halo.above[dimension]);
    if (narrowest < 0) {
      throw Error("a halo of width " + std::to_string(narrowest) + " along " + named(dimension) +
                  "; allowed: 0 or more; give the number of ghost cells");
    }
    const layout::Cuts& cuts = blocks.cuts(dimension);
    if (halo.below[dimension] + halo.above[dimension] == 0) {
      if (cuts.dealt() && cuts.places() > 1) {
        throw Error("a halo of a layout that is distributed in blocks along " + named(dimension) +
                    ", where the indices of a part are not contiguous; cut it evenly or at points, "
                    "and give each block its owner");
      }
      continue;
    }
    if (cuts.dealt()) {
      throw Error("a halo along " + named(dimension) +
                  ", which is distributed in blocks, so its parts have no neighbours; cut it "
                  "evenly or at points, and give each block its owner");
    }
    if (grid.extent(dimension) == 0) {
      throw Error("a halo along " + named(dimension) +
                  " of a grid without indices there; give it at least one, or width 0");
    }
  }
  if (halo.fold) {
    require_fold(blocks, halo, *halo.fold);
  }
}

/// Those that the layout has: beyond them each field has its own.
std::size_t dimensions_of(const Blocks& blocks, const Halo& halo) {
  const layout::Cuts unused = layout::Cuts::even({.lower = 0, .upper = 1}, 1);
  std::size_t dimensions = max_dimensions;
  while (dimensions > 1 && blocks.cuts(dimensions - 1) == unused &&
         halo.below[dimensions - 1] + halo.above[dimensions - 1] == 0) {
    --dimensions;
  }
  return dimensions;
}

std::uint64_t identity_of(const Blocks& blocks, const Halo& halo) {
  Identity identity;
  identity.add(blocks.identity());
  identity.add(halo.below);
  identity.add(halo.above);
  for (const bool periodic : halo.periodic) {
    identity.add(static_cast<std::uint64_t>(periodic ? 1 : 0));
  }
  identity.add(static_cast<std::uint64_t>(halo.corners ? 1 : 0));
  if (halo.fold) {
    identity.add(std::array{halo.fold->shift, halo.fold->skipped});
  }
  return identity.value();
}

}  // namespace

Route halo(const Blocks& blocks, const Halo& halo, int rank) {
  require_halo(blocks, halo);
  const Surroundings surroundings(blocks, halo);
  const std::size_t dimensions = dimensions_of(blocks, halo);
  const std::vector<int> own = blocks.places_of(rank);
  Route route;
  // Both ends in the order of the receiver's blocks, and of what arrives at each.
  std::set<std::pair<int, int>> takers;
  for (std::size_t part = 0; part < own.size(); ++part) {
    for (const Arrival& arrival : surroundings.arrivals(own[part])) {
      if (blocks.owner(arrival.place) != layout::nobody) {
        route.receives.push_back({.peer = blocks.owner(arrival.place),
                                  .box = arrival.ghost,
                                  .part = static_cast<int>(part),
                                  .dimensions = dimensions});
      }
    }
    for (const int taker : surroundings.takers(own[part])) {
      if (blocks.owner(taker) != layout::nobody) {
        takers.emplace(blocks.owner(taker), taker);
      }
    }
  }
  for (const auto& [peer, taker] : takers) {
    for (const Arrival& arrival : surroundings.arrivals(taker)) {
      if (blocks.owner(arrival.place) == rank) {
        const auto part = std::ranges::lower_bound(own, arrival.place) - own.begin();
        route.sends.push_back({.peer = peer,
                               .box = arrival.source,
                               .part = static_cast<int>(part),
                               .reversed = arrival.reversed,
                               .dimensions = dimensions});
      }
    }
  }
  std::ranges::stable_sort(route.receives, {}, &Leg::peer);
  return route;
}

Route halo(const Blocks& blocks, const Halo& halo, const mpi::Communicator& communicator) {
  mpi::require_same(communicator, identity_of(blocks, halo), "layouts or halos");
  Route route;
  mpi::agreed(communicator, [&] {
    if (blocks.ranks() > communicator.size()) {
      throw Error("the layout names rank " + std::to_string(blocks.ranks() - 1) +
                  "; allowed: 0 to " + std::to_string(communicator.size() - 1) +
                  ", the ranks of the communicator; cut it into fewer blocks or name other owners");
    }
    route = route::halo(blocks, halo, communicator.rank());
  });
  return route;
}

}  // namespace halocline::route
