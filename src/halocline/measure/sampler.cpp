#include "halocline/measure/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "halocline/measure/clock.hpp"
#include "halocline/measure/phase_rows.hpp"
#include "halocline/measure/phases.hpp"
#include "halocline/measure/preemption.hpp"
#include "halocline/measure/stopping.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/mpi/region.hpp"

namespace halocline::measure {
namespace {

constexpr Seconds batch_target{100e-6};  // 2 clock readings of 25 ns are 0.05 % of it
constexpr Seconds block_target{0.5e-3};  // batches between two looks at the stopping rule
constexpr Seconds turn_target{2e-3};     // long for a wake-up, short for a change of load
constexpr Seconds warm_up_target{0.5e-3};
// Iterations in its last batch: loops with short batches take at most 17 of them.
constexpr std::int64_t warm_up_most = 65536;
// Batches with a preempted rank are repeated, or iterations would seem so long that batches had
// only one. Steps of an oversubscribed model do take that long, and are preempted every time.
constexpr int warm_up_again = 8;
constexpr Seconds warm_up_again_longest{5};  // in total: then no further batch is repeated
constexpr std::size_t fewest_clean_batches = 15;

struct Batch {
  Seconds elapsed;
  Seconds spent;  // the same, or more where not all of it is timed
  Seconds lateness;
  bool preempted;
};

/// Spins for this long; returns the actual time.
Seconds delay(Seconds asked) {
  const Seconds begin = now();
  Seconds spent{0};
  while (spent < asked) {
    spent = now() - begin;
  }
  return spent;
}

/// `region`, if any, is the name that a profiler sees while the batch is timed.
Batch time_batch(TimedLoop& loop, std::int64_t iterations, double delay_share = 0,
                 const char* region = nullptr) {
  PhaseTimer* const phases = loop.phases();
  loop.synchronise();
  if (region != nullptr) {
    mpi::begin_region(region);
  }
  if (phases != nullptr) {
    phases->reset();
  }
  const Preemption preemption;
  const Seconds begin = now();
  Seconds elapsed = loop.time(iterations);
  if (phases != nullptr) {
    phases->end();
  }
  elapsed += delay(delay_share * elapsed);
  const Seconds spent = now() - begin;
  if (region != nullptr) {
    mpi::end_region(region);
  }
  return {.elapsed = elapsed,
          .spent = spent,
          .lateness = loop.lateness(),
          .preempted = preemption.spoils(spent)};
}

/// Of all ranks.
Seconds maximum(Seconds own, const mpi::Communicator& communicator) {
  const auto own_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(own);
  return std::chrono::nanoseconds{communicator.maximum(std::int64_t{own_ns.count()})};
}

struct WarmUp {
  Seconds iteration;
  std::int64_t iterations = 0;
};

/// The time of an iteration on the slowest timed rank (others may rest), after enough iterations to
/// fill caches, set up connections and choose what is faster.
WarmUp warm_up(TimedLoop& loop, const mpi::Communicator& communicator, const Alive& alive) {
  const std::vector<int> timed_ranks = loop.timed_ranks();
  const bool is_timed = std::ranges::find(timed_ranks, communicator.rank()) != timed_ranks.end();
  Seconds fastest{1e9};
  Seconds spent{0};
  std::int64_t all_iterations = 0;
  Seconds spent_again{0};
  int again = 0;
  std::int64_t next = 1;
  const auto is_short = [&] { return spent < warm_up_target && next <= warm_up_most; };
  while (is_short() || !loop.settled()) {
    const std::int64_t iterations = is_short() ? std::min(next, loop.most_iterations()) : 1;
    all_iterations += iterations;
    const Batch batch = time_batch(loop, iterations);
    alive();
    const bool preempted = communicator.maximum(std::int64_t{batch.preempted ? 1 : 0}) != 0;
    if (preempted && loop.preemption_spoils() && again < warm_up_again &&
        spent_again < warm_up_again_longest) {
      ++again;
      spent_again += maximum(batch.spent, communicator);
      continue;
    }
    next = std::min(2 * next, 2 * warm_up_most);
    const Seconds now_spent = is_timed ? batch.spent : Seconds{0};
    fastest = std::min(fastest, now_spent / iterations);
    spent = maximum(spent + now_spent, communicator);
    if constexpr (mpi::simulated) {
      break;  // a simulated machine has no caches to fill
    }
  }
  const auto fastest_ps = static_cast<std::int64_t>(std::ceil(fastest.count() * 1e12));
  return {.iteration = Seconds{static_cast<double>(communicator.maximum(fastest_ps)) * 1e-12},
          .iterations = all_iterations};
}

/// What rank 0 needs to decide whether to continue.
class Decision {
 public:
  explicit Decision(const Budget& budget) : budget_(budget) {}

  /// The time of the budget begins.
  void begin() { begin_ = now(); }

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
  Seconds begin_{0};
  std::vector<double> clean_s_;
};

/// The batches of one block on all ranks, as rank 0 sees them.
class Block {
 public:
  Block(TimedLoop& loop, const Budget& budget, std::size_t batches, const Alive& alive)
      : loop_(loop),
        alive_(alive),
        preemption_spoils_(budget.preemption_spoils && loop.preemption_spoils()),
        name_regions_(budget.name_regions),
        delay_share_(budget.delay_share),
        late_allowed_s_(loop.lateness_allowed().count()),
        phases_(loop.phases(), batches),
        elapsed_s_(batches),
        late_s_(batches),
        preempted_(batches) {}

  void time(std::int64_t iterations) {
    for (std::size_t batch = 0; batch < elapsed_s_.size(); ++batch) {
      const Batch timed = named_batch(iterations);
      elapsed_s_[batch] = timed.elapsed.count();
      late_s_[batch] = timed.lateness.count();
      preempted_[batch] = timed.preempted && preemption_spoils_ ? 1 : 0;
      phases_.keep(batch);
      alive_();
    }
  }

  /// Collective; on rank 0 updates `samples` and the decision.
  void collect(const mpi::Communicator& communicator, Samples& samples, Decision& decision) {
    const std::size_t batches = elapsed_s_.size();
    communicator.maximum(preempted_);
    const std::vector<double> all_elapsed_s = communicator.gather(elapsed_s_);
    const std::vector<double> all_late_s = communicator.gather(late_s_);
    phases_.collect(communicator, samples.phases);
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
  Batch named_batch(std::int64_t iterations) {
    return time_batch(loop_, iterations, delay_share_, name_regions_ ? timed_region : nullptr);
  }

  TimedLoop& loop_;
  const Alive& alive_;
  bool preemption_spoils_;
  bool name_regions_;
  double delay_share_;
  double late_allowed_s_;
  PhaseRows phases_;
  std::vector<double> elapsed_s_;
  std::vector<double> late_s_;
  std::vector<std::uint8_t> preempted_;
};

/// The maximum of each over all ranks; on rank 0 only.
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

/// A case in progress: warmed up, with lengths of batches and blocks chosen.
class Sampling {
 public:
  Sampling(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
           const Alive& alive, Seconds block_time)
      : loop_(loop), communicator_(communicator), decision_(budget) {
    const WarmUp warm = warm_up(loop, communicator, alive);
    const Seconds iteration = std::max(warm.iteration, Seconds{1e-12});
    iterations_ = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::ceil(batch_target / iteration)), 1, loop.most_iterations());
    const auto most =
        std::max(fewest_clean_batches, static_cast<std::size_t>(block_time / batch_target));
    samples_.block_batches = std::clamp<std::size_t>(
        static_cast<std::size_t>(block_time / (iteration * iterations_)), 1, most);
    samples_.repeats = iterations_ * loop.traversals();
    samples_.iterations = warm.iterations;
    samples_.timed_ranks = loop.timed_ranks();
    samples_.elapsed_s.resize(writes() ? samples_.timed_ranks.size() : 0);
    block_ = std::make_unique<Block>(loop, budget, samples_.block_batches, alive);
    decision_.begin();
  }

  void time_block() {
    block_->time(iterations_);
    samples_.iterations += iterations_ * static_cast<std::int64_t>(samples_.block_batches);
  }

  void collect() { block_->collect(communicator_, samples_, decision_); }

  /// On rank 0: whether at least half of the last block's batches count.
  bool last_block_counts() const {
    std::size_t counted = 0;
    for (std::size_t at = samples_.preempted.size() - samples_.block_batches;
         at < samples_.preempted.size(); ++at) {
      const bool late = samples_.late_s[at] > loop_.lateness_allowed().count();
      counted += samples_.preempted[at] == 0 && !late ? 1 : 0;
    }
    return 2 * counted >= samples_.block_batches;
  }

  bool enough() const {
    return communicator_.broadcast(std::int64_t{writes() && decision_.enough() ? 1 : 0}) != 0;
  }

  /// Untimed: refills the caches after another job, unless that takes longer than filling them.
  void rehearse() {
    if (samples_.block_batches > 1) {
      time_batch(loop_, iterations_);
      samples_.iterations += iterations_;
    }
  }

  Samples end() {
    if (std::ranges::all_of(samples_.late_s, [](double late_s) { return late_s == 0; })) {
      samples_.late_s.clear();
    }
    samples_.late_allowed_s = loop_.lateness_allowed().count();
    samples_.clock = worst(loop_.clock_state(), communicator_);
    collect_work(loop_.phases(), communicator_, samples_.phases);
    return std::move(samples_);
  }

 private:
  bool writes() const { return communicator_.rank() == 0; }

  TimedLoop& loop_;
  const mpi::Communicator& communicator_;
  Decision decision_;
  std::int64_t iterations_ = 0;
  Samples samples_;
  std::unique_ptr<Block> block_;
};

}  // namespace

Samples sample(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
               const Alive& alive) {
  Sampling sampling(loop, budget, communicator, alive, block_target);
  for (bool done = false; !done;) {
    sampling.time_block();
    sampling.collect();
    done = sampling.enough();
  }
  return sampling.end();
}

Samples sample_in_turn(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
                       const Alive& alive, const std::function<bool(bool)>& another) {
  Sampling sampling(loop, budget, communicator, alive, turn_target);
  for (bool counts = true; another(counts);) {
    sampling.rehearse();
    sampling.time_block();
    sampling.collect();
    counts = communicator.rank() != 0 || sampling.last_block_counts();
  }
  return sampling.end();
}

}  // namespace halocline::measure
