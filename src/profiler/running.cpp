#include "profiler/running.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "profiler/ticks.hpp"

namespace halocline::profiler {
namespace {

/// The second number is how long the main thread was ready without a core, in nanoseconds.
std::int64_t delayed_ns() {
  const int file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return -1;
  }
  char text[128];
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  if (length <= 0) {
    return -1;
  }
  text[length] = '\0';
  char* second = text;
  std::strtoll(text, &second, 10);
  char* end = second;
  const std::int64_t delayed = std::strtoll(second, &end, 10);
  return end == second ? -1 : delayed;
}

}  // namespace

Running running() { return {now_ns(CLOCK_PROCESS_CPUTIME_ID), delayed_ns()}; }

void note_cores(Header& header) {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    for (std::uint32_t core = 0; core < cores_maximum; ++core) {
      std::uint64_t& word = header.cores[core / 64];
      const std::uint64_t bit = std::uint64_t{1} << (core % 64);
      word = CPU_ISSET(core, &cores) ? word | bit : word & ~bit;
    }
  }
}

}  // namespace halocline::profiler
