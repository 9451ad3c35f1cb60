#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "halocline/layout/blocks.hpp"

namespace halocline::layout {

/// How an ocean's blocks are distributed to ranks.
enum class Distribution {
  cartesian,           // a grid of ranks, like POP's: each takes a rectangle of blocks
  rake,                // cartesian, then blocks move along columns and rows until work is even
  space_filling_curve  // a curve through neighbouring blocks, cut where work is even
};

/// The names that options have: "cartesian", "rake", "curve". Throws Error for another.
Distribution distribution_named(std::string_view name);

/// A grid of columns x rows cut into blocks. Those with work go to ranks 0 ≤ rank < ranks, the
/// others, which are land, to nobody.
///
/// Blocks are block_columns x block_rows, smaller at the eastern and northern edges. `work` is that
/// of a block, for example its ocean cells; 0 means land. Along a curve every rank gets a block; in
/// rectangles a rank may get only land, and then owns nothing. Rectangles belong to a grid of
/// ranks, `ranks_along_y` of them along y; 0: as many as bring rectangles closest to squares.
/// Throws Error where fewer blocks than ranks have work, or the ranks do not form such rectangles
/// of blocks.
Blocks ocean_blocks(Index columns, Index rows, Index block_columns, Index block_rows,
                    const std::function<std::int64_t(const Box&)>& work, Distribution distribution,
                    int ranks, int ranks_along_y = 0);

/// The work of each rank, in the same unit.
std::vector<std::int64_t> work_of_ranks(const Blocks& blocks,
                                        const std::function<std::int64_t(const Box&)>& work);

}  // namespace halocline::layout
