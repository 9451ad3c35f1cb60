#include "halocline/measure/phase_rows.hpp"

#include <cstdint>

namespace halocline::measure {
namespace {

constexpr std::size_t kinds_of_work = 4;

}  // namespace

PhaseRows::PhaseRows(const PhaseTimer* timer, std::size_t batches)
    : timer_(timer),
      batches_(batches),
      elapsed_s_(timer == nullptr ? 0 : batches * timer->phases().size()) {}

void PhaseRows::keep(std::size_t batch) {
  if (timer_ == nullptr) {
    return;
  }
  std::size_t at = batch * timer_->phases().size();
  for (const Seconds elapsed : timer_->elapsed()) {
    elapsed_s_[at++] = elapsed.count();
  }
}

void PhaseRows::collect(const mpi::Communicator& communicator,
                        std::vector<PhaseSamples>& phases) const {
  if (timer_ == nullptr) {
    return;
  }
  const std::vector<double> all_s = communicator.gather(elapsed_s_);
  if (communicator.rank() != 0) {
    return;
  }
  const std::size_t count = timer_->phases().size();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  phases.resize(count);
  for (std::size_t phase = 0; phase < count; ++phase) {
    phases[phase].elapsed_s.resize(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for (std::size_t batch = 0; batch < batches_; ++batch) {
        const std::size_t at = (rank * batches_ + batch) * count + phase;
        phases[phase].elapsed_s[rank].push_back(all_s[at]);
      }
    }
  }
}

void collect_work(const PhaseTimer* timer, const mpi::Communicator& communicator,
                  std::vector<PhaseSamples>& phases) {
  if (timer == nullptr) {
    return;
  }
  std::vector<double> own;  // whole numbers below 2^53 are exact
  for (const Phase& phase : timer->phases()) {
    own.push_back(static_cast<double>(phase.operations));
    own.push_back(static_cast<double>(phase.memory_bytes));
    own.push_back(static_cast<double>(phase.sent_bytes));
    own.push_back(static_cast<double>(phase.resident_bytes));
  }
  const std::vector<double> all = communicator.gather(own);
  if (communicator.rank() != 0) {
    return;
  }
  phases.resize(timer->phases().size());
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    phases[phase].name = timer->phases()[phase].name;
    for (std::size_t at = kinds_of_work * phase; at < all.size(); at += own.size()) {
      phases[phase].operations.push_back(static_cast<std::int64_t>(all[at]));
      phases[phase].memory_bytes.push_back(static_cast<std::int64_t>(all[at + 1]));
      phases[phase].sent_bytes.push_back(static_cast<std::int64_t>(all[at + 2]));
      phases[phase].resident_bytes.push_back(static_cast<std::int64_t>(all[at + 3]));
    }
  }
}

}  // namespace halocline::measure
