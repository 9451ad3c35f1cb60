#include "halocline/measure/agreed_start.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "halocline/mpi/collectives.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::measure {
namespace {

constexpr Seconds first_window{50e-6};
constexpr Seconds longest_window{0.1};
constexpr double margin = 1.5;   // of the window relative to the time needed
constexpr double forgets = 0.9;  // how fast a delay that does not recur is forgotten
constexpr Seconds shortest_margin{1e-6};
constexpr Seconds spins{20e-6};  // before the moment; until then others may have the core
constexpr Seconds least_allowed{200e-9};
constexpr int looks_allowed = 4;

}  // namespace

AgreedStart::AgreedStart(const mpi::Communicator& communicator, std::shared_ptr<SharedClock> clock)
    : communicator_(communicator),
      clock_(std::move(clock)),
      lateness_allowed_(std::max(least_allowed, looks_allowed * clock_cost())),
      needed_(first_window / margin) {}

void AgreedStart::agree() {
  // Gathering also waits until the last operation has ended everywhere.
  const std::vector<double> spare_s = communicator_.gather(std::array{spare_.count()});
  Choice choice;
  if (communicator_.rank() == 0) {
    needed_ = std::max(window_ - Seconds{std::ranges::min(spare_s)}, needed_ * forgets);
    window_ = std::min(needed_ * margin + shortest_margin, longest_window);
    choice = {.moment = clock_->now() + window_, .synchronises = clock_->is_stale()};
  }
  broadcast(choice);
  if (choice.synchronises) {
    clock_->synchronise(communicator_);
    communicator_.barrier();
    choice.moment = clock_->now() + window_;
    broadcast(choice);
  }
  moment_ = choice.moment;
}

void AgreedStart::broadcast(Choice& choice) const {
  mpi::Collectives(communicator_).broadcast(std::as_writable_bytes(std::span(&choice, 1)), 0);
}

void AgreedStart::await() {
  Seconds time = clock_->now();
  spare_ = moment_ - time;
  while (time < moment_) {
    if constexpr (mpi::simulated) {
      // Only sleeping advances simulated time.
      std::this_thread::sleep_for(std::chrono::ceil<std::chrono::nanoseconds>(moment_ - time));
    } else if (moment_ - time > spins) {
      sched_yield();
    }
    time = clock_->now();
  }
  lateness_ = time - moment_;
}

}  // namespace halocline::measure
