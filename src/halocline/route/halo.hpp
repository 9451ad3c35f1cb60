#pragma once

#include <array>

#include "halocline/layout/decomposition.hpp"
#include "halocline/route/route.hpp"

namespace halocline::route {

/// Layers of ghost cells beyond each face of a block, by dimension.
using HaloWidths = std::array<layout::Index, layout::max_dimensions>;

/// A rank's part in filling the ghost cells beyond both faces of its block along one dimension of a
/// periodic array.
///
/// `filled` are the widths of the ghost cells that earlier exchanges filled along other dimensions;
/// these also travel. One dimension after the other, with those done as `filled`, fills all ghost
/// cells including corners by messages across faces only.
///
/// Boxes are in the receiver's or sender's own indices: across the end of the array they differ by
/// its extent. Throws Error when a block is narrower than the halo.
Route halo(const layout::Decomposition& decomposition, int rank, std::size_t dimension,
           layout::Index width, const HaloWidths& filled = {});

}  // namespace halocline::route
