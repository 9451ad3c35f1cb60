#include "halocline/measure/phases.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "halocline/measure/clock.hpp"
#include "halocline/mpi/region.hpp"

namespace halocline::measure {
namespace {

struct WhenLong {
  std::function<void()> alive;
  Seconds pause{0};
};

WhenLong& when_long_of_new_timers() {
  static WhenLong when_long;
  return when_long;
}

}  // namespace

void PhaseTimer::new_timers_when_long(std::function<void()> alive, Seconds pause) {
  when_long_of_new_timers() = {.alive = std::move(alive), .pause = pause};
}

PhaseTimer::PhaseTimer(std::vector<Phase> phases)
    : phases_(std::move(phases)),
      elapsed_(phases_.size() + 1),
      current_(phases_.size()),
      alive_(when_long_of_new_timers().alive),
      alive_pause_(when_long_of_new_timers().pause) {
  std::set<std::string> names;
  for (const Phase& phase : phases_) {
    if (phase.name.empty() || !names.insert(phase.name).second) {
      throw std::invalid_argument("phase '" + phase.name +
                                  "' is unnamed or listed twice; give each phase its own name");
    }
  }
  reset();
}

std::size_t PhaseTimer::begin(std::size_t phase) {
  const Seconds time = now();
  elapsed_[current_] += time - since_;
  since_ = time;
  if (named_ && phase != current_) {
    if (current_ < phases_.size()) {
      mpi::end_region(phases_[current_].name);
    }
    if (phase < phases_.size()) {
      mpi::begin_region(phases_[phase].name);
    }
  }
  if (alive_ && alive_at_ == Seconds{0}) {
    alive_at_ = time;
  } else if (alive_ && time - alive_at_ >= alive_pause_) {
    alive_at_ = time;
    alive_();
  }
  return std::exchange(current_, phase);
}

void PhaseTimer::end() { begin(phases_.size()); }

void PhaseTimer::reset() {
  end();  // for a profiler
  std::ranges::fill(elapsed_, Seconds{0});
  current_ = phases_.size();
  since_ = Seconds{0};
  alive_at_ = Seconds{0};
}

std::span<const Seconds> PhaseTimer::elapsed() const {
  return std::span(elapsed_).first(phases_.size());
}

}  // namespace halocline::measure
