#pragma once

#include <string>

namespace halocline {

/// The kind of this machine: the processor's model and how many of them the system shows, as "AMD
/// EPYC 7763 64-Core Processor x 128". The same on all nodes of a kind.
std::string machine_kind();

}  // namespace halocline
