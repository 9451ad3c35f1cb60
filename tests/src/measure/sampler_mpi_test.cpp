#include "halocline/measure/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "halocline/measure/clock.hpp"
#include "halocline/measure/phases.hpp"

namespace halocline::measure {
namespace {

/// Does nothing for a while; counts what it is asked.
class Idle final : public TimedLoop {
 public:
  explicit Idle(std::vector<int> timed_ranks) : timed_ranks_(std::move(timed_ranks)) {}
  void synchronise() override { ++synchronised; }
  void run(std::int64_t iterations) override {
    for (std::int64_t step = 0; step < iterations * 100; ++step) {
      std::atomic_signal_fence(std::memory_order_seq_cst);  // keeps the empty loop
    }
    ++batches;
    last_iterations = iterations;
  }
  std::optional<std::string> verify(std::uint64_t /*seed*/) override { return std::nullopt; }
  std::int64_t traversals() const override { return 2; }
  std::size_t moved_bytes() const override { return 0; }
  std::vector<int> timed_ranks() const override { return timed_ranks_; }

  std::int64_t synchronised = 0;
  std::int64_t batches = 0;
  std::int64_t last_iterations = 0;

 private:
  std::vector<int> timed_ranks_;
};

enum class Timed { first, all };

class SamplerTest : public testing::TestWithParam<Timed> {
 protected:
  std::vector<int> timed_ranks() const {
    std::vector<int> ranks(GetParam() == Timed::all ? static_cast<std::size_t>(world_.size()) : 1);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }

  mpi::Communicator world_ = mpi::Communicator::world();
};

TEST_P(SamplerTest, rank_0_has_a_column_for_each_batch) {
  Idle loop(timed_ranks());
  int alive = 0;
  const Samples samples = sample(loop, {.half_width_relative = 0.5, .longest = Seconds{0.02}},
                                 world_, [&] { ++alive; });
  EXPECT_GT(alive, 0);
  EXPECT_EQ(loop.synchronised, loop.batches);
  EXPECT_EQ(samples.repeats, 2 * loop.last_iterations);
  if (world_.rank() != 0) {
    EXPECT_TRUE(samples.elapsed_s.empty());
    return;
  }
  EXPECT_EQ(samples.timed_ranks, timed_ranks());
  ASSERT_EQ(samples.elapsed_s.size(), timed_ranks().size());
  EXPECT_GT(samples.preempted.size(), 0U);
  for (const auto& row : samples.elapsed_s) {
    EXPECT_EQ(row.size(), samples.preempted.size());
    for (const double elapsed_s : row) {
      EXPECT_GT(elapsed_s, 0.0);
    }
  }
}

TEST_P(SamplerTest, every_rank_runs_as_often) {
  Idle loop(timed_ranks());
  sample(loop, {.half_width_relative = 1e-9, .longest = Seconds{0.01}}, world_, [] {});
  EXPECT_EQ(world_.broadcast(loop.batches), loop.batches);
}

/// Begins its first batches late, and may not run more than once in a batch.
class Late final : public TimedLoop {
 public:
  void synchronise() override { ++batches; }
  void run(std::int64_t iterations) override { iterations_ += iterations; }
  Seconds time(std::int64_t iterations) override {
    run(iterations);
    return Seconds{1e-3};
  }
  std::int64_t most_iterations() const override { return 1; }
  Seconds lateness() const override { return Seconds{batches % 2 == 0 ? 1e-8 : 5e-6}; }
  Seconds lateness_allowed() const override { return Seconds{2e-7}; }
  ClockState clock_state() const override {
    return {.offset = Seconds{-4}, .residual = Seconds{1e-7}, .error = Seconds{3e-7}};
  }
  std::optional<std::string> verify(std::uint64_t /*seed*/) override { return std::nullopt; }
  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return 0; }

  std::int64_t batches = 0;
  std::int64_t iterations_ = 0;
};

TEST(SelfTimedTest, a_loop_may_time_itself_and_tell_that_it_was_late) {
  const auto world = mpi::Communicator::world();
  Late loop;
  const Samples samples =
      sample(loop, {.half_width_relative = 0.5, .longest = Seconds{0.02}}, world, [] {});
  EXPECT_EQ(samples.iterations, loop.iterations_);
  EXPECT_EQ(samples.repeats, 1);
  if (world.rank() != 0) {
    return;
  }
  ASSERT_EQ(samples.late_s.size(), samples.elapsed_s[0].size());
  EXPECT_EQ(samples.elapsed_s[0][0], 1e-3);
  EXPECT_NE(samples.late_s[0], samples.late_s[1]);
  EXPECT_EQ(samples.late_allowed_s, 2e-7);
  EXPECT_EQ(samples.clock.offset, Seconds{4});
  EXPECT_EQ(samples.clock.residual, Seconds{1e-7});
  EXPECT_EQ(samples.clock.error, Seconds{3e-7});
}

/// Says that its first iterations take a thousand times as long.
class Trying final : public TimedLoop {
 public:
  void synchronise() override {}
  void run(std::int64_t iterations) override { all_iterations += iterations; }
  Seconds time(std::int64_t iterations) override {
    const Seconds each{settled() ? 1e-3 : 1.0};
    run(iterations);
    std::this_thread::sleep_for(iterations * std::chrono::milliseconds(1));  // a warm-up by itself
    return iterations * each;
  }
  bool settled() const override { return all_iterations >= first; }
  std::optional<std::string> verify(std::uint64_t /*seed*/) override { return std::nullopt; }
  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return 0; }

  static constexpr std::int64_t first = 40;
  std::int64_t all_iterations = 0;
};

TEST(SelfTimedTest, iterations_that_try_what_is_faster_are_part_of_the_warm_up) {
  const auto world = mpi::Communicator::world();
  Trying loop;
  const Samples samples =
      sample(loop, {.half_width_relative = 1e-9, .longest = Seconds{2}}, world, [] {});
  if (world.rank() == 0) {
    const std::vector<double>& elapsed_s = samples.elapsed_s.at(0);
    EXPECT_EQ(std::ranges::max(elapsed_s), 1e-3);
    EXPECT_GT(elapsed_s.size(), 1U);  // the warm-up does not count as their time
    EXPECT_EQ(loop.all_iterations, Trying::first + std::ssize(elapsed_s));
  }
}

TEST_P(SamplerTest, in_turn_it_times_the_blocks_that_it_is_given) {
  Idle loop(timed_ranks());
  int asked = 0;
  int alive = 0;
  const Samples samples =
      sample_in_turn(loop, {}, world_, [&] { ++alive; }, [&](bool) { return ++asked <= 3; });
  EXPECT_EQ(asked, 4);
  EXPECT_GE(alive, 3 * static_cast<int>(samples.block_batches));
  EXPECT_GT(samples.block_batches, 0U);
  EXPECT_EQ(samples.preempted.size(), world_.rank() == 0 ? 3 * samples.block_batches : 0U);
  EXPECT_EQ(world_.broadcast(loop.batches), loop.batches);
}

/// Begins late whenever it is asked to.
class Tardy final : public TimedLoop {
 public:
  void synchronise() override {}
  void run(std::int64_t /*iterations*/) override {}
  Seconds time(std::int64_t /*iterations*/) override { return Seconds{1e-3}; }
  Seconds lateness() const override { return Seconds{late ? 5e-6 : 0.0}; }
  std::optional<std::string> verify(std::uint64_t /*seed*/) override { return std::nullopt; }
  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return 0; }

  bool late = false;
};

TEST(InTurnTest, a_block_of_which_most_is_late_does_not_count) {
  const auto world = mpi::Communicator::world();
  Tardy loop;
  std::vector<bool> counted;
  const auto another = [&](bool counts) {
    counted.push_back(counts);
    loop.late = counted.size() == 2;  // in the second block
    return counted.size() < 4;
  };
  sample_in_turn(loop, {.preemption_spoils = false}, world, [] {}, another);
  if (world.rank() == 0) {
    EXPECT_EQ(counted, (std::vector{true, true, false, true}));
  }
}

/// Takes the same time by its own account, whatever it does.
class Even final : public TimedLoop {
 public:
  void synchronise() override {}
  void run(std::int64_t /*iterations*/) override {}
  Seconds time(std::int64_t /*iterations*/) override { return Seconds{1e-3}; }
  std::optional<std::string> verify(std::uint64_t /*seed*/) override { return std::nullopt; }
  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return 0; }
};

TEST(DelayTest, a_share_of_each_batch_is_added_to_it) {
  const auto world = mpi::Communicator::world();
  Even loop;
  int blocks = 0;
  const Samples samples =
      sample_in_turn(loop, {.delay_share = 0.5}, world, [] {}, [&](bool) { return ++blocks <= 2; });
  if (world.rank() == 0) {
    EXPECT_GE(std::ranges::min(samples.elapsed_s[0]), 1.5e-3);
  }
}

/// Spins in two phases: in the second one rank 1 longer than others. Only rank 0 is timed.
class Phased final : public TimedLoop {
 public:
  explicit Phased(int rank)
      : rank_(rank),
        timer_({{.name = "alike", .operations = rank, .sent_bytes = 8},
                {.name = "unlike", .memory_bytes = 100, .resident_bytes = 300}}) {}
  void synchronise() override {
    timer_.begin(0);  // an untimed part must not count
    spin(Seconds{1e-3});
    timer_.end();
  }
  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      timer_.begin(0);
      spin(Seconds{2e-5});
      timer_.begin(1);  // still under way at the end
      spin(Seconds{rank_ == 1 ? 4e-5 : 1e-5});
    }
    timer_.phase(1).operations = 7;
  }
  PhaseTimer* phases() override { return &timer_; }
  std::optional<std::string> verify(std::uint64_t /*seed*/) override { return std::nullopt; }
  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return 0; }

 private:
  static void spin(Seconds asked) {
    const Seconds begin = now();
    while (now() - begin < asked) {
    }
  }

  int rank_;
  PhaseTimer timer_;
};

TEST(PhasedTest, each_rank_has_its_time_in_each_phase_of_each_batch) {
  const auto world = mpi::Communicator::world();
  Phased loop(world.rank());
  const Samples samples =
      sample(loop, {.half_width_relative = 0.5, .longest = Seconds{0.02}}, world, [] {});
  if (world.rank() != 0) {
    EXPECT_TRUE(samples.phases.empty());
    return;
  }
  ASSERT_EQ(samples.phases.size(), 2U);
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<std::int64_t> ranks_in_order(ranks);
  std::iota(ranks_in_order.begin(), ranks_in_order.end(), 0);
  EXPECT_EQ(samples.phases[0].name, "alike");
  EXPECT_EQ(samples.phases[0].operations, ranks_in_order);
  EXPECT_EQ(samples.phases[0].sent_bytes, std::vector<std::int64_t>(ranks, 8));
  EXPECT_EQ(samples.phases[1].operations, std::vector<std::int64_t>(ranks, 7));
  EXPECT_EQ(samples.phases[1].memory_bytes, std::vector<std::int64_t>(ranks, 100));
  EXPECT_EQ(samples.phases[0].resident_bytes, std::vector<std::int64_t>(ranks, 0));
  EXPECT_EQ(samples.phases[1].resident_bytes, std::vector<std::int64_t>(ranks, 300));
  const auto iterations = static_cast<double>(samples.repeats);
  for (const PhaseSamples& phase : samples.phases) {
    ASSERT_EQ(phase.elapsed_s.size(), ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(phase.elapsed_s[rank].size(), samples.preempted.size());
      const bool slow = phase.name == "unlike" && rank == 1;
      const double least_s = phase.name == "alike" ? 2e-5 : slow ? 4e-5 : 1e-5;
      EXPECT_GE(std::ranges::min(phase.elapsed_s[rank]), iterations * least_s);
    }
  }
  double least_apart_s = 1;  // others may have been preempted between the two readings
  for (std::size_t batch = 0; batch < samples.preempted.size(); ++batch) {
    const double in_phases_s =
        samples.phases[0].elapsed_s[0][batch] + samples.phases[1].elapsed_s[0][batch];
    least_apart_s = std::min(least_apart_s, in_phases_s - samples.elapsed_s[0][batch]);
  }
  EXPECT_LT(least_apart_s, 5e-4);  // synchronising took longer than that
}

INSTANTIATE_TEST_SUITE_P(TimedRanks, SamplerTest, testing::Values(Timed::first, Timed::all),
                         [](const auto& instance) {
                           return instance.param == Timed::first ? "first" : "all";
                         });

}  // namespace
}  // namespace halocline::measure
