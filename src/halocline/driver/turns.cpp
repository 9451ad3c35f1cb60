#include "halocline/driver/turns.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <span>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::driver {
namespace {

constexpr int nap_ms = 5000;  // between two signs of life of a job that waits for its turn
constexpr char go_on = 'g';
constexpr char end_case = 'e';

int open_fifo(const std::filesystem::path& path, bool writes) {
  const int descriptor =
      writes ? open(path.c_str(), O_WRONLY | O_CLOEXEC) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw UsageError("cannot open " + path.string() + ": " + std::strerror(errno) +
                     "; the process that gives turns has to create it with mkfifo");
  }
  return descriptor;
}

}  // namespace

/// What the ranks of a node sleep on: a turn's number in the upper bits, its order in the lowest.
struct Turns::Word {
  std::atomic<std::uint32_t> value;
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
};

Turns::Turns(const std::filesystem::path& folder, const mpi::Communicator& world)
    : world_(world),
      node_(world.node()),
      window_(node_, node_.rank() == 0 ? sizeof(Word) : 0),
      word_(reinterpret_cast<Word*>(window_.part(0).data())),
      leads_node_(node_.rank() == 0) {
  const std::vector<int> leads = world.all_gather(leads_node_ ? 1 : 0);
  if (world.rank() != 0) {
    return;
  }
  for (int rank = 1; rank < world.size(); ++rank) {
    if (leads[static_cast<std::size_t>(rank)] != 0) {
      other_leaders_.push_back(rank);
    }
  }
  std::signal(SIGPIPE, SIG_IGN);  // a letter that nobody will read is an Error instead
  handed_ = open_fifo(folder / "handed", true);
  given_ = open_fifo(folder / "given", false);
}

Turns::~Turns() {
  if (handed_ >= 0) {
    close(handed_);
  }
  if (given_ >= 0) {
    close(given_);
  }
}

bool Turns::await(Place place, const std::function<void()>& waiting) {
  ++turn_;
  char order = go_on;
  if (world_.rank() == 0) {
    order = exchange(place, waiting);
    for (const int leader : other_leaders_) {
      world_.notify(leader);
      world_.send(std::as_bytes(std::span(&order, 1)), leader);
    }
  } else if (leads_node_) {
    auto sign = std::chrono::steady_clock::now();
    world_.sleep_until_notified(0, [&sign, &waiting] {
      if (const auto now = std::chrono::steady_clock::now();
          now - sign >= std::chrono::milliseconds{nap_ms}) {
        sign = now;
        waiting();
      }
    });
    world_.receive(std::as_writable_bytes(std::span(&order, 1)), 0);
  }
  if (leads_node_) {
    wake_node(order);
  } else {
    order = sleep_on_node(waiting);
  }
  return order == go_on;
}

char Turns::exchange(Place place, const std::function<void()>& waiting) const {
  const char letter = static_cast<char>(place);
  char order = 0;
  ssize_t length = write(handed_, &letter, 1);
  pollfd given{.fd = given_, .events = POLLIN, .revents = 0};
  while (length == 1 && poll(&given, 1, nap_ms) == 0) {
    waiting();
  }
  while (length == 1 && (length = read(given_, &order, 1)) < 0 && errno == EINTR) {
    length = 1;
  }
  if (length != 1 || (order != go_on && order != end_case)) {
    throw Error("the process that gives turns has exited; resume the comparison");
  }
  return order;
}

void Turns::wake_node(char order) {
  word_->value.store(2 * turn_ + (order == go_on ? 1 : 0), std::memory_order_release);
  syscall(SYS_futex, word_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

char Turns::sleep_on_node(const std::function<void()>& waiting) {
  constexpr timespec nap{.tv_sec = nap_ms / 1000, .tv_nsec = 0};
  std::uint32_t value = 0;
  while ((value = word_->value.load(std::memory_order_acquire)) / 2 < turn_) {
    // Returns at once if the turn has already come. The memory is shared: no FUTEX_PRIVATE_FLAG.
    if (syscall(SYS_futex, word_, FUTEX_WAIT, value, &nap, nullptr, 0) < 0 && errno == ETIMEDOUT) {
      waiting();
    }
  }
  return value % 2 == 1 ? go_on : end_case;
}

}  // namespace halocline::driver
