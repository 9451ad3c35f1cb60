#pragma once

#include <string>

namespace halocline {

/// Prints a line for the supervisor of the job; from rank 0 only.
void announce(const std::string& line);

}  // namespace halocline
