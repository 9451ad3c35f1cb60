#pragma once

#include <string>

#include "halocline/mpi/communicator.hpp"

namespace halocline::workload {

/// Throws Skip, as all ranks do, unless what the ranks of a node need, `own_bytes` of this one,
/// fits the part of its memory that is allowed, in percent. `what` takes it; `remedy` says what to
/// choose.
void require_memory(const std::string& what, double own_bytes, int percent_allowed,
                    const std::string& remedy, const mpi::Communicator& world);

}  // namespace halocline::workload
