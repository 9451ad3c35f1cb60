#include "halocline/base/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "halocline/base/words.hpp"

namespace halocline {
namespace {

/// From /proc/cpuinfo; the architecture where it lists no model, as on many ARM systems.
std::string processor_model() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    if (line.starts_with("model name")) {
      if (std::string model = single_spaced(line.substr(line.find(':') + 1)); !model.empty()) {
        return model;
      }
    }
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown processor";
}

}  // namespace

std::string machine_kind() {
  return processor_model() + " x " + std::to_string(sysconf(_SC_NPROCESSORS_CONF));
}

}  // namespace halocline
