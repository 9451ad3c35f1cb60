#pragma once

#include "halocline/driver/options.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::driver {

/// Measures all cases of the list and writes their samples. Collective.
void launch(const Options& options, const mpi::Communicator& world);

}  // namespace halocline::driver
