#pragma once

#include "halocline/layout/points.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/route/directory.hpp"
#include "halocline/route/route.hpp"

namespace halocline::route {

/// A rank's part in moving arbitrarily placed points: each goes from the rank that has its number
/// at the source to the one that has it at the destination. Collective; each rank passes its own
/// points, lists or blocks on either side.
///
/// Boxes are as long as points are contiguous on both sides. A rank's time and memory grow with its
/// own points. Throws the same Error on all ranks for a number below 0, points that carry different
/// extents on the two sides or on two ranks, and a point that is listed twice on a side, that no
/// rank has, or that no rank wants unless this is allowed.
Route redistribution(const layout::Points& source, const layout::Points& destination,
                     const mpi::Communicator& communicator, Unwanted unwanted = Unwanted::refused);

}  // namespace halocline::route
