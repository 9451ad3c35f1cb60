#include "halocline/base/announce.hpp"

#include <cstdio>

namespace halocline {

void announce(const std::string& line) {
  std::printf("halocline: %s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace halocline
