#pragma once

#include <vector>

#include "halocline/layout/blocks.hpp"
#include "halocline/route/redistribution.hpp"

namespace halocline::route {

/// New owners for a layout, and the traffic they save.
struct Relabelling {
  std::vector<int> owners;     // of each place, for layout::Blocks::owned_by
  layout::Index moved_before;  // indices that change rank with the original owners
  layout::Index moved_after;   // with the new ones
};

/// How to find the ranks that change places: with the fewest indices possible, at a cost that grows
/// with the cube of the ranks, or nearly the fewest, taking the largest shares first.
enum class Assignment { fewest, largest_first };

/// Up to this many ranks, finding the minimum takes about a second.
inline constexpr std::size_t fewest_ranks_maximum = 1024;

/// Ranks of the destination change places so that they already hold more of what they own. Each
/// gets all blocks of another one, so the load balance is unchanged. Ranks that own nothing at the
/// destination still own nothing. Where nothing is saved, the owners are the original ones.
/// Computed from the layouts alone, without communication. COSTA: Kabić et al. 2021; the fewest by
/// the Hungarian method: Kuhn 1955.
Relabelling relabelled(const layout::Blocks& source, const layout::Blocks& destination);
Relabelling relabelled(const layout::Blocks& source, const layout::Blocks& destination,
                       const Region& region, Assignment assignment);

}  // namespace halocline::route
