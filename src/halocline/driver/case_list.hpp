#pragma once

#include <string>
#include <vector>

#include "halocline/workload/workload.hpp"

namespace halocline::driver {

/// One line of the case list: `ID WORKLOAD axis=value …`.
struct Case {
  std::string id;
  const workload::Workload* workload;
  workload::AxisValues axes;
};

/// Throws UsageError that names the line.
std::vector<Case> parse_cases(const std::string& text, const workload::Setting& setting = {});

}  // namespace halocline::driver
