#pragma once

#include "halocline/bundle/redistribution.hpp"
#include "halocline/numerics/gyro_memory.hpp"
#include "halocline/numerics/gyro_sharing.hpp"

namespace halocline::numerics {

/// What transposes need to know about a rank's place.
struct GyroPlace {
  const GyroSharing& sharing;
  const mpi::Communicator& row;     // ranks with the same mode
  const mpi::Communicator& column;  // ranks with the same pairs
  bundle::Way way;
  const bundle::NodeMemory* memory = nullptr;  // where arrays may lie; outlives transposes
};

/// Lines in one piece of a transpose, among those that a rank holds with all modes.
using GyroLines = layout::Interval;

/// Between one mode of all lines of a column, [line][wave], and all modes of some lines,
/// [mode][line of this rank][wave]. With a single piece, what goes to a rank or comes from it is
/// contiguous. The route is the same in both directions.
bundle::Redistribution between_modes(const GyroPlace& place, GyroLines lines, GyroArray from,
                                     GyroArray to);

/// From all points of some pairs to some points of all pairs, [pair][point].
bundle::Redistribution to_all_pairs(const GyroPlace& place, GyroArray some, GyroArray all);
/// And back.
bundle::Redistribution to_own_pairs(const GyroPlace& place, GyroArray all, GyroArray some);

}  // namespace halocline::numerics
