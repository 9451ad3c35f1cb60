#pragma once

#include <string>

namespace halocline::driver {

/// Workloads and protocols of this build as JSON. Needs no running MPI.
std::string catalogue_text();

}  // namespace halocline::driver
