#pragma once

#include <span>
#include <string>
#include <string_view>

#include "halocline/protocol/protocol.hpp"

namespace halocline::protocol {

/// All protocols of this build.
std::span<const Protocol* const> all();

/// Their names, also before main(), where workloads' axes are constructed.
std::span<const std::string_view> names();

/// Throws UsageError with the names of all protocols.
const Protocol& find(std::string_view name);

/// Why this build's MPI library cannot run the protocol; empty when it can.
std::string missing(const Protocol& protocol);

}  // namespace halocline::protocol
