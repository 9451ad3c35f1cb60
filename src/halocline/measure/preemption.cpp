#include "halocline/measure/preemption.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

#include "halocline/mpi/compat/features.hpp"

namespace halocline::measure {
namespace {

constexpr double share_allowed = 0.01;

std::int64_t involuntary_switches() {
  if constexpr (mpi::simulated) {
    return 0;
  }
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);  // not the helper threads of the MPI library
  return usage.ru_nivcsw;
}

/// The second number of the thread's scheduler statistics; 0 if missing.
Seconds lost_time() {
  if constexpr (mpi::simulated) {
    return Seconds{0};
  }
  static const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  std::array<char, 96> text{};
  const ssize_t length = pread(file, text.data(), text.size(), 0);
  if (length <= 0) {
    return Seconds{0};
  }
  const std::string_view numbers(text.data(), static_cast<std::size_t>(length));
  const std::size_t second = numbers.find(' ') + 1;
  std::int64_t lost_ns = 0;
  std::from_chars(numbers.data() + second, numbers.data() + numbers.size(), lost_ns);
  return std::chrono::nanoseconds{lost_ns};
}

}  // namespace

Preemption::Preemption() : switches_(involuntary_switches()), lost_(lost_time()) {}

bool Preemption::spoils(Seconds elapsed) const {
  if (involuntary_switches() == switches_) {
    return false;
  }
  const Seconds now_lost = lost_time();
  return now_lost == Seconds{0} || now_lost - lost_ > share_allowed * elapsed;
}

}  // namespace halocline::measure
