#pragma once

#include <span>

#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// Every workload that this build has.
std::span<const Workload* const> all();

/// Throws UsageError with the names of all workloads.
const Workload& find(std::string_view name);

}  // namespace halocline::workload
