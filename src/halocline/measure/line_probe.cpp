#include "halocline/measure/line_probe.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "halocline/measure/clock.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::measure {
namespace {

constexpr std::size_t line_bytes = 128;  // two lines of 64 B: neighbours are fetched in pairs
constexpr int bursts = 5;                // the fastest counts, so that one preemption does not
constexpr int round_trips = 50;
constexpr int spins_before_yield = 10'000;

void await(const std::atomic<std::uint32_t>& flag, std::uint32_t value) {
  for (int spins = 1; flag.load(std::memory_order_acquire) != value; ++spins) {
    if (spins % spins_before_yield == 0) {
      sched_yield();  // the other rank may be waiting for this very core
    }
  }
}

}  // namespace

struct LineProbe::Lines {
  alignas(line_bytes) std::atomic<std::uint32_t> there;
  alignas(line_bytes) std::atomic<std::uint32_t> back;
};

LineProbe::LineProbe(const mpi::Communicator& world) : node_(world.node()) {
  const bool probes = !mpi::simulated && world.size() > 1 && node_.size() == world.size();
  if (probes) {
    window_ = std::make_unique<mpi::SharedWindow>(node_, node_.rank() == 0 ? sizeof(Lines) : 0);
    lines_ = reinterpret_cast<Lines*>(window_->part(0).data());
  }
}

std::optional<Seconds> LineProbe::measure() const {
  if (lines_ == nullptr || node_.rank() > 1) {
    return std::nullopt;
  }
  const bool leads = node_.rank() == 0;
  const std::uint32_t first = lines_->back.load() + 1;
  std::optional<Seconds> fastest;
  std::uint32_t turn = first;
  for (int burst = 0; burst < bursts; ++burst) {
    const Seconds begin = now();
    for (int round_trip = 0; round_trip < round_trips; ++round_trip, ++turn) {
      if (leads) {
        lines_->there.store(turn, std::memory_order_release);
        await(lines_->back, turn);
      } else {
        await(lines_->there, turn);
        lines_->back.store(turn, std::memory_order_release);
      }
    }
    const Seconds line = (now() - begin) / (2 * round_trips);
    fastest = fastest ? std::min(*fastest, line) : line;
  }
  return leads ? fastest : std::nullopt;
}

}  // namespace halocline::measure
