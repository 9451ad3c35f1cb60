#pragma once

#include <string>

#include "halocline/mpi/communicator.hpp"
#include "halocline/route/route.hpp"

namespace halocline::route {

/// Writes the routes of all ranks to one file, which replaces an older one when it is complete.
/// Collective: rank 0 writes. Throws the same Error on all ranks when the file cannot be written.
void save(const Route& route, const std::string& path, const mpi::Communicator& communicator);

/// This rank's part of a file that save() wrote. Collective: rank 0 reads. Throws the same Error on
/// all ranks when the file is missing, damaged, no route file, or for another number of ranks.
Route load(const std::string& path, const mpi::Communicator& communicator);

}  // namespace halocline::route
