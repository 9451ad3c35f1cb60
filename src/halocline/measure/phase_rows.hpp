#pragma once

#include <cstddef>
#include <vector>

#include "halocline/measure/phases.hpp"
#include "halocline/measure/sampler.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::measure {

/// A rank's phase times after each batch of a block; empty where the loop has no phases.
class PhaseRows {
 public:
  /// The timer, or null, must outlive this.
  PhaseRows(const PhaseTimer* timer, std::size_t batches);

  void keep(std::size_t batch);

  /// Collective where phases exist; on rank 0 appends the block's batches to each phase's rows.
  void collect(const mpi::Communicator& communicator, std::vector<PhaseSamples>& phases) const;

 private:
  const PhaseTimer* timer_;
  std::size_t batches_;
  std::vector<double> elapsed_s_;  // all phases of each batch
};

/// Collective where phases exist: on rank 0 the work of every rank in each phase, as set now.
void collect_work(const PhaseTimer* timer, const mpi::Communicator& communicator,
                  std::vector<PhaseSamples>& phases);

}  // namespace halocline::measure
