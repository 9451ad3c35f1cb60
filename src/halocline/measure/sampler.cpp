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
// Iterations of its last batch: loops whose batches cannot be long take no more than 17 of them.
constexpr std::int64_t warm_up_most = 65536;
constexpr std::size_t fewest_clean_batches = 15;

struct Batch {
  Seconds elapsed;
  Seconds spent;  // the same, or more where not all of it is timed
  Seconds lateness;
  bool preempted;
};

Batch time_batch(TimedLoop& loop, std::int64_t iterations) {
  loop.synchronise();
  const Preemption preemption;
  const Seconds begin = now();
  const Seconds elapsed = loop.time(iterations);
  const Seconds spent = now() - begin;
  return {.elapsed = elapsed,
          .spent = spent,
          .lateness = loop.lateness(),
          .preempted = preemption.spoils(spent)};
}

struct WarmUp {
  Seconds iteration;
  std::int64_t iterations = 0;
};

/// What one iteration takes on the slowest rank of those that are timed, for others may rest, after
/// enough of them to fill caches and set up connections.
WarmUp warm_up(TimedLoop& loop, const mpi::Communicator& communicator) {
  const std::vector<int> timed_ranks = loop.timed_ranks();
  const bool is_timed = std::ranges::find(timed_ranks, communicator.rank()) != timed_ranks.end();
  Seconds fastest{1e9};
  Seconds spent{0};
  std::int64_t all_iterations = 0;
  for (std::int64_t next = 1; spent < warm_up_target && next <= warm_up_most; next *= 2) {
    const std::int64_t iterations = std::min(next, loop.most_iterations());
    all_iterations += iterations;
    const Seconds in_batch = time_batch(loop, iterations).spent;
    const Seconds now_spent = is_timed ? in_batch : Seconds{0};
    fastest = std::min(fastest, now_spent / iterations);
    const auto spent_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(spent + now_spent);
    spent = std::chrono::nanoseconds{communicator.maximum(std::int64_t{spent_ns.count()})};
    if constexpr (mpi::simulated) {
      break;  // a simulated machine has no caches to fill
    }
  }
  const auto fastest_ps = static_cast<std::int64_t>(std::ceil(fastest.count() * 1e12));
  return {.iteration = Seconds{static_cast<double>(communicator.maximum(fastest_ps)) * 1e-12},
          .iterations = all_iterations};
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

/// The batches of one block on all ranks, as rank 0 sees them.
class Block {
 public:
  Block(TimedLoop& loop, const Budget& budget, std::size_t batches)
      : loop_(loop),
        preemption_spoils_(budget.preemption_spoils && loop.preemption_spoils()),
        late_allowed_s_(loop.lateness_allowed().count()),
        elapsed_s_(batches),
        late_s_(batches),
        preempted_(batches) {}

  void time(std::int64_t iterations) {
    for (std::size_t batch = 0; batch < elapsed_s_.size(); ++batch) {
      const Batch timed = time_batch(loop_, iterations);
      elapsed_s_[batch] = timed.elapsed.count();
      late_s_[batch] = timed.lateness.count();
      preempted_[batch] = timed.preempted && preemption_spoils_ ? 1 : 0;
    }
  }

  /// Collective; adds to `samples` and tells the decision on rank 0.
  void collect(const mpi::Communicator& communicator, Samples& samples, Decision& decision) {
    const std::size_t batches = elapsed_s_.size();
    communicator.maximum(preempted_);
    const std::vector<double> all_elapsed_s = communicator.gather(elapsed_s_);
    const std::vector<double> all_late_s = communicator.gather(late_s_);
    if (communicator.rank() != 0) {
      return;
    }
    const auto ranks = static_cast<std::size_t>(communicator.size());
    for (std::size_t batch = 0; batch < batches; ++batch) {
      double slowest_s = 0;  // the figure that is reported
      for (std::size_t row = 0; row < samples.timed_ranks.size(); ++row) {
        const auto rank = static_cast<std::size_t>(samples.timed_ranks[row]);
        const double elapsed_s = all_elapsed_s[rank * batches + batch];
        samples.elapsed_s[row].push_back(elapsed_s);
        slowest_s = std::max(slowest_s, elapsed_s);
      }
      double latest_s = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        latest_s = std::max(latest_s, all_late_s[rank * batches + batch]);
      }
      samples.preempted.push_back(preempted_[batch]);
      samples.late_s.push_back(latest_s);
      decision.add(slowest_s, preempted_[batch] != 0 || latest_s > late_allowed_s_);
    }
  }

 private:
  TimedLoop& loop_;
  bool preemption_spoils_;
  double late_allowed_s_;
  std::vector<double> elapsed_s_;
  std::vector<double> late_s_;
  std::vector<std::uint8_t> preempted_;
};

/// The largest of each over all ranks; on rank 0 only.
ClockState worst(const ClockState& own, const mpi::Communicator& communicator) {
  const std::array own_s{std::abs(own.offset.count()), own.residual.count(), own.error.count()};
  const std::vector<double> all_s = communicator.gather(own_s);
  ClockState largest;
  for (std::size_t at = 0; at < all_s.size(); at += own_s.size()) {
    largest = {.offset = std::max(largest.offset, Seconds{all_s[at]}),
               .residual = std::max(largest.residual, Seconds{all_s[at + 1]}),
               .error = std::max(largest.error, Seconds{all_s[at + 2]})};
  }
  return largest;
}

}  // namespace

Samples sample(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
               const std::function<void()>& alive) {
  const WarmUp warm = warm_up(loop, communicator);
  const Seconds iteration = std::max(warm.iteration, Seconds{1e-12});
  const auto iterations = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(batch_target / iteration)), 1, loop.most_iterations());
  const auto block_batches = std::clamp<std::size_t>(
      static_cast<std::size_t>(block_target / (iteration * iterations)), 1, fewest_clean_batches);

  Samples samples;
  samples.repeats = iterations * loop.traversals();
  samples.iterations = warm.iterations;
  samples.timed_ranks = loop.timed_ranks();
  const bool writer = communicator.rank() == 0;
  samples.elapsed_s.resize(writer ? samples.timed_ranks.size() : 0);
  Decision decision(budget);
  Block block(loop, budget, block_batches);
  for (bool done = false; !done;) {
    block.time(iterations);
    samples.iterations += iterations * static_cast<std::int64_t>(block_batches);
    alive();
    block.collect(communicator, samples, decision);
    done = communicator.broadcast(std::int64_t{writer && decision.enough() ? 1 : 0}) != 0;
  }
  if (std::ranges::all_of(samples.late_s, [](double late_s) { return late_s == 0; })) {
    samples.late_s.clear();
  }
  samples.late_allowed_s = loop.lateness_allowed().count();
  samples.clock = worst(loop.clock_state(), communicator);
  return samples;
}

}  // namespace halocline::measure
