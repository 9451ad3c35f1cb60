#pragma once

#include "halocline/measure/clock.hpp"
#include "halocline/mpi/compat/features.hpp"
#include "halocline/workload/workload.hpp"

namespace halocline::workload {

/// Which ranks compute: rank 0 alone, while the others sleep, or all at once.
const ChoiceAxis& active_axis();

/// The length of one of a kernel's arrays.
const IntegerAxis& array_bytes_axis();

/// How a kernel stores its results: as usual, or past the caches.
const ChoiceAxis& stores_axis();

/// Throws Skip in simulation.
void require_real_machine();

/// Throws Skip if this processor lacks these stores, or they do not suit the arrays.
void require_stores(bool streaming, std::size_t array_bytes);

/// Whether this rank computes, or sleeps while rank 0 does.
bool computes(bool all_active, const mpi::Communicator& world);

/// Throws Skip on all ranks if so many arrays on each rank that computes take too much of a node's
/// memory.
void require_arrays(int arrays, std::size_t array_bytes, bool all_active,
                    const mpi::Communicator& world);

/// The length of this rank's arrays, in bytes, after require_arrays(): ranks that sleep have the
/// shortest.
std::size_t own_array_bytes(std::size_t array_bytes, int arrays, bool all_active,
                            const mpi::Communicator& world);

/// Times a Kernel on one rank or on all, each by itself: the figures are those of one rank, the
/// slowest. A Kernel has: run(); write(seed) and difference(seed), for its arguments and its
/// result; moved_bytes() and operations(); and facts(), if it reports any.
template <class Kernel>
class KernelLoop final : public measure::TimedLoop {
 public:
  template <class... Arguments>
  KernelLoop(const mpi::Communicator& world, bool all_active, Arguments&&... arguments)
      : world_(world), all_active_(all_active), kernel_(std::forward<Arguments>(arguments)...) {
    kernel_.write(0);
  }

  void synchronise() override {
    if (all_active_) {
      world_.barrier();
    }
  }

  void run(std::int64_t iterations) override {
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      kernel_.run();
    }
  }

  Seconds time(std::int64_t iterations) override {
    if (all_active_) {
      return TimedLoop::time(iterations);
    }
    if (world_.rank() != 0) {
      world_.sleep_until_notified(0);
      return Seconds{0};
    }
    const Seconds elapsed = TimedLoop::time(iterations);
    for (int rank = 1; rank < world_.size(); ++rank) {
      world_.notify(rank);
    }
    return elapsed;
  }

  std::optional<std::string> verify(std::uint64_t seed) override {
    if (!all_active_ && world_.rank() != 0) {
      return std::nullopt;
    }
    kernel_.write(seed);
    kernel_.run();
    if (const auto wrong = kernel_.difference(seed)) {
      return "rank " + std::to_string(world_.rank()) + " computed " + *wrong;
    }
    return std::nullopt;
  }

  std::int64_t traversals() const override { return 1; }
  std::size_t moved_bytes() const override { return kernel_.moved_bytes(); }
  std::int64_t operations() const override { return kernel_.operations(); }
  std::vector<measure::Fact> facts() const override {
    if constexpr (requires { kernel_.facts(); }) {
      return kernel_.facts();
    }
    return {};
  }
  measure::PhaseTimer* phases() override {
    if constexpr (requires { kernel_.phases(); }) {
      return kernel_.phases();
    }
    return nullptr;
  }
  std::vector<int> timed_ranks() const override {
    return every_rank(all_active_ ? world_.size() : 1);
  }

 private:
  const mpi::Communicator& world_;
  bool all_active_;
  Kernel kernel_;
};

/// Arrays of numbers in the kind of pages that the launch asks for.
class NumberArray {
 public:
  NumberArray(std::size_t length, Pages pages) : memory_(length * sizeof(double), pages) {}

  std::span<double> numbers() {
    return {reinterpret_cast<double*>(memory_.bytes().data()),
            memory_.bytes().size() / sizeof(double)};
  }
  std::span<const double> numbers() const {
    return {reinterpret_cast<const double*>(memory_.bytes().data()),
            memory_.bytes().size() / sizeof(double)};
  }

 private:
  Memory memory_;
};

}  // namespace halocline::workload
