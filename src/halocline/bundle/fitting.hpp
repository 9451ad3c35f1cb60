#pragma once

#include "halocline/bundle/redistribution.hpp"

namespace halocline::bundle {

/// Throws the same Error on all ranks unless the fields fit the route and each other: every box
/// inside its field, the same fields of the same types on all blocks and ranks, the same way, and
/// each box sent with the extents that its peer expects. Collective.
void require_fitting(const route::Route& route, const Blocks& source, const Blocks& destination,
                     const Way& way, const mpi::Communicator& communicator,
                     const NodeMemory* memory);

}  // namespace halocline::bundle
