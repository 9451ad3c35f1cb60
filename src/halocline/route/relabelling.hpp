#pragma once

#include <vector>

#include "halocline/layout/blocks.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::route {

/// New owners for a layout, and what they save.
struct Relabelling {
  std::vector<int> owners;     // of each place, for layout::Blocks::owned_by
  layout::Index moved_before;  // indices that change rank with the owners as they were
  layout::Index moved_after;   // with the new ones
};

/// How to find the ranks that change places: the fewest indices that is possible, at a cost that
/// grows with the cube of the ranks, or nearly so, by taking the largest shares first.
enum class Assignment { fewest, largest_first };

/// Up to this many ranks, finding the minimum takes about a second.
inline constexpr std::size_t fewest_ranks_maximum = 1024;

/// The ranks of the destination change places so that more of what they own is there already: each
/// gets all blocks that another one had, so that the load of the ranks stays as balanced as it was.
/// Ranks that own nothing at the destination stay without. Where nothing is saved, the owners are
/// those of before. Computed from the layouts alone, without communication. COSTA: Kabić et al.
/// 2021; the fewest by the Hungarian method: Kuhn 1955.
Relabelling relabelled(const layout::Blocks& source, const layout::Blocks& destination);
Relabelling relabelled(const layout::Blocks& source, const layout::Blocks& destination,
                       const Region& region, Assignment assignment);

}  // namespace halocline::route
