#include "halocline/measure/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/measure/clock.hpp"
#include "halocline/measure/preemption.hpp"
#include "halocline/measure/stopping.hpp"
#include "halocline/mpi/compat/features.hpp"

namespace halocline::measure {
namespace {

constexpr Seconds batch_target{100e-6};  // 2 clock readings of 25 ns are 0.05 % of it
constexpr Seconds block_target{0.5e-3};  // batches between two looks at the stopping rule
constexpr Seconds warm_up_target{0.5e-3};
constexpr std::size_t fewest_clean_batches = 15;

struct Batch {
  Seconds elapsed;
  bool preempted;
};

Batch time_batch(TimedLoop& loop, std::int64_t iterations) {
  loop.synchronise();
  const std::int64_t switches_before = involuntary_switches();
  const Seconds begin = now();
  loop.run(iterations);
  const Seconds elapsed = now() - begin;
  return {.elapsed = elapsed, .preempted = involuntary_switches() != switches_before};
}

/// Seconds of one iteration, the same on every rank, after enough of them to fill caches and set up
/// connections.
Seconds warm_up(TimedLoop& loop, const mpi::Communicator& communicator) {
  Seconds fastest{1e9};
  Seconds spent{0};
  for (std::int64_t iterations = 1; spent < warm_up_target; iterations *= 2) {
    const Seconds elapsed = time_batch(loop, iterations).elapsed;
    fastest = std::min(fastest, elapsed / iterations);
    const auto spent_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(spent + elapsed);
    spent = std::chrono::nanoseconds{communicator.broadcast(std::int64_t{spent_ns.count()})};
    if constexpr (mpi::simulated) {
      break;  // a simulated machine has no caches to fill
    }
  }
  const auto fastest_ps = static_cast<std::int64_t>(std::ceil(fastest.count() * 1e12));
  return Seconds{static_cast<double>(communicator.broadcast(fastest_ps)) * 1e-12};
}

/// What rank 0 needs to decide whether to go on.
class Decision {
 public:
  explicit Decision(const Budget& budget) : budget_(budget), begin_(now()) {}

  void add(double elapsed_s, bool preempted) {
    if (!preempted) {
      clean_s_.push_back(elapsed_s);
    }
  }

  bool enough() const {
    const bool known = clean_s_.size() >= fewest_clean_batches &&
                       half_width_relative(clean_s_) <= budget_.half_width_relative;
    return known || now() - begin_ >= budget_.longest;
  }

 private:
  Budget budget_;
  Seconds begin_;
  std::vector<double> clean_s_;
};

}  // namespace

Samples sample(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
               const std::function<void()>& alive) {
  const Seconds iteration = std::max(warm_up(loop, communicator), Seconds{1e-12});
  const auto iterations =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(batch_target / iteration)));
  const auto block_batches = std::clamp<std::size_t>(
      static_cast<std::size_t>(block_target / (iteration * iterations)), 1, fewest_clean_batches);

  Samples samples;
  samples.repeats = iterations * loop.traversals();
  const bool writer = communicator.rank() == 0;
  const int timed_ranks = loop.timed_ranks() == TimedRanks::all ? communicator.size() : 1;
  samples.elapsed_s.resize(writer ? static_cast<std::size_t>(timed_ranks) : 0);
  Decision decision(budget);
  std::vector<double> elapsed_s(block_batches);
  std::vector<std::uint8_t> preempted(block_batches);
  for (bool done = false; !done;) {
    for (std::size_t batch = 0; batch < block_batches; ++batch) {
      const Batch timed = time_batch(loop, iterations);
      elapsed_s[batch] = timed.elapsed.count();
      preempted[batch] = timed.preempted ? 1 : 0;
    }
    alive();
    communicator.maximum(preempted);
    const std::vector<double> all_elapsed_s = communicator.gather(elapsed_s);
    if (writer) {
      for (std::size_t rank = 0; rank < samples.elapsed_s.size(); ++rank) {
        const auto row = all_elapsed_s.begin() + static_cast<std::ptrdiff_t>(rank * block_batches);
        samples.elapsed_s[rank].insert(samples.elapsed_s[rank].end(), row,
                                       row + static_cast<std::ptrdiff_t>(block_batches));
      }
      samples.preempted.insert(samples.preempted.end(), preempted.begin(), preempted.end());
      for (std::size_t batch = 0; batch < block_batches; ++batch) {
        double slowest_s = 0;  // the figure that is reported
        for (std::size_t rank = 0; rank < samples.elapsed_s.size(); ++rank) {
          slowest_s = std::max(slowest_s, all_elapsed_s[rank * block_batches + batch]);
        }
        decision.add(slowest_s, preempted[batch] != 0);
      }
    }
    done = communicator.broadcast(std::int64_t{writer && decision.enough() ? 1 : 0}) != 0;
  }
  return samples;
}

}  // namespace halocline::measure
