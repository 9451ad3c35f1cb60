#pragma once

#include <string_view>
#include <utility>

#include "halocline/measure/agreed_start.hpp"
#include "halocline/mpi/environment.hpp"
#include "halocline/mpi/nodes.hpp"
#include "halocline/workload/collective/operation.hpp"
#include "halocline/workload/memory_share.hpp"

namespace halocline::workload {

/// How collective operations are timed.
enum class Timing {
  synchronised,  // all ranks begin at an agreed moment; timed from then until the last one ends
  back_to_back,  // many in a row: a rank may begin one before another has ended the last
  imb,           // as IMB-MPI1 does it: each after an untimed barrier, by MPI_Wtime
};

/// The axes of all collective workloads.
const IntegerAxis& contribution_bytes_axis();
const ChoiceAxis& timing_axis();
const ChoiceAxis& structure_axis();

Timing timing_of(const AxisValues& values);
bool has_two_levels(const AxisValues& values);

/// Times an Operation, which is constructed from a Task and has: buffers(task), its memory; run();
/// write(seed), which writes this rank's input and corrupts what it will receive; difference(seed),
/// collective, what is wrong with it after a run; moved_bytes(), the fewest that must move, of all
/// ranks; off_node_bytes(), this rank's share of those that must leave its node, whoever sends
/// them. An operation with `is_barrier` is verified, and timed as IMB does, without further
/// barriers.
template <class Operation>
class CollectiveLoop final : public measure::TimedLoop {
 public:
  CollectiveLoop(Task task, Timing timing)
      : task_(std::move(task)),
        timing_(timing),
        barrier_(task_.world),
        start_(task_.world, task_.clock),
        operation_(task_) {
    operation_.write(0);
  }

  void synchronise() override {
    if (timing_ == Timing::synchronised) {
      start_.agree();
      return;
    }
    barrier_.barrier();
    barrier_.barrier();  // two, like IMB: ranks leave the second one closer together
  }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      operation_.run();
    }
  }

  Seconds time(std::int64_t iterations) override {
    if (timing_ == Timing::synchronised) {
      start_.await();
      run(iterations);
      return start_.elapsed();
    }
    return timing_ == Timing::imb ? time_as_imb(iterations) : TimedLoop::time(iterations);
  }

  std::int64_t most_iterations() const override {
    return timing_ == Timing::synchronised ? 1 : TimedLoop::most_iterations();
  }

  Seconds lateness() const override { return start_.lateness(); }
  Seconds lateness_allowed() const override {
    return timing_ == Timing::synchronised ? start_.lateness_allowed() : Seconds{0};
  }
  measure::ClockState clock_state() const override {
    return timing_ == Timing::synchronised ? start_.clock_state() : measure::ClockState{};
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    operation_.write(seed);
    if constexpr (!requires { Operation::is_barrier; }) {  // it would hide what that one lacks
      barrier_.barrier();
    }
    operation_.run();
    return operation_.difference(seed);
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return operation_.moved_bytes(); }
  std::size_t off_node_bytes(std::span<const int> /*node_of_rank*/) const override {
    return operation_.off_node_bytes();
  }
  std::vector<int> timed_ranks() const override {
    return every_rank(static_cast<int>(task_.ranks()));
  }

 private:
  Seconds time_as_imb(std::int64_t iterations) {
    double spent_s = 0;
    if constexpr (requires { Operation::is_barrier; }) {
      spent_s -= mpi::wall_time_s();
      run(iterations);
      spent_s += mpi::wall_time_s();
    } else {
      for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
        spent_s -= mpi::wall_time_s();
        operation_.run();
        spent_s += mpi::wall_time_s();
        barrier_.barrier();
      }
    }
    return Seconds{spent_s};
  }

  Task task_;
  Timing timing_;
  mpi::Collectives barrier_;
  measure::AgreedStart start_;
  Operation operation_;
};

/// Replaces a two-level operation: `why_not` says why it is missing.
template <class Operation>
concept Impossible = requires { std::string_view{Operation::why_not}; };

/// Collective. Throws Skip on all ranks if the operation's buffers do not fit the memory.
template <class Operation>
std::unique_ptr<measure::TimedLoop> collective_loop(Task task, Timing timing) {
  require_buffers("an operation on " + std::to_string(task.ranks()) +
                      " ranks with bytes=" + std::to_string(task.size_bytes),
                  Operation::buffers(task), "fewer bytes, fewer ranks or more nodes", task.world);
  return std::make_unique<CollectiveLoop<Operation>>(std::move(task), timing);
}

/// Collective. Makes the loop that the values select.
template <class Flat, class TwoLevel>
std::unique_ptr<measure::TimedLoop> prepare_collective(const AxisValues& values,
                                                       std::size_t size_bytes,
                                                       const mpi::Communicator& world) {
  const std::vector<int>& nodes = values.setting().node_of_rank;
  Task task{.world = world,
            .node_of_rank = nodes.empty() ? mpi::node_of_rank(world) : nodes,
            .size_bytes = size_bytes,
            .pages = values.pages(),
            .clock = values.setting().clock};
  const Timing timing = timing_of(values);
  if (!has_two_levels(values)) {
    return collective_loop<Flat>(std::move(task), timing);
  }
  if constexpr (Impossible<TwoLevel>) {
    throw Skip(std::string{TwoLevel::why_not});
  } else {
    return collective_loop<TwoLevel>(std::move(task), timing);
  }
}

struct Collective {
  std::string_view name;
  std::string_view summary;
};

/// The workload of an operation that moves bytes, in two equivalent forms.
template <class Flat, class TwoLevel>
Workload define(const Collective& collective) {
  return {
      .name = collective.name,
      .summary = collective.summary,
      .ranks_minimum = 2,
      .ranks_maximum = any_number_of_ranks,
      .over_protocols = false,
      .axes = {contribution_bytes_axis(), timing_axis(), structure_axis()},
      .prepare =
          [](const AxisValues& values, const mpi::Communicator& world) {
            const auto size_bytes =
                static_cast<std::size_t>(values.integer(contribution_bytes_axis()));
            return prepare_collective<Flat, TwoLevel>(values, size_bytes, world);
          },
  };
}

}  // namespace halocline::workload
