#include "halocline/driver/watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

#include "halocline/mpi/compat/features.hpp"

namespace halocline::driver {
namespace {

std::array<char, 128> last_words{};  // formatted in advance: a signal handler must not

extern "C" void end_process(int /*signal*/) {
  const auto length = std::ranges::find(last_words, '\0') - last_words.begin();
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, last_words.data(), static_cast<std::size_t>(length));
  _exit(stalled_exit_code);
}

}  // namespace

Watchdog::Watchdog(int stall_s, int rank)
    : stall_s_(mpi::simulated ? 0 : static_cast<unsigned>(stall_s)) {
  if (stall_s_ == 0) {
    return;
  }
  std::snprintf(last_words.data(), last_words.size(),
                "halocline-driver: rank %d: no progress for %d s, giving up\n", rank, stall_s);
  std::signal(SIGALRM, end_process);
  feed();
}

Watchdog::~Watchdog() {
  if (stall_s_ > 0) {
    alarm(0);
  }
}

void Watchdog::feed() const {
  if (stall_s_ > 0) {
    alarm(stall_s_);
  }
}

}  // namespace halocline::driver
