#include "halocline/workload/catalogue.hpp"

#include <array>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::workload {

#define HALOCLINE_WORKLOAD(name) extern const Workload name;
#include "halocline/workload/catalogue.inc"
#undef HALOCLINE_WORKLOAD

std::span<const Workload* const> all() {
#define HALOCLINE_WORKLOAD(name) &(name),
  static constexpr std::array workloads{
#include "halocline/workload/catalogue.inc"
  };
#undef HALOCLINE_WORKLOAD
  return workloads;
}

const Workload& find(std::string_view name) {
  std::string names;
  for (const Workload* workload : all()) {
    if (workload->name == name) {
      return *workload;
    }
    names += names.empty() ? "" : ", ";
    names += workload->name;
  }
  throw UsageError("unknown workload '" + std::string{name} + "'; allowed: " + names +
                   "; choose one of these");
}

}  // namespace halocline::workload
