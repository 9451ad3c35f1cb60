#pragma once

#include <cstddef>
#include <vector>

#include "halocline/measure/phases.hpp"
#include "halocline/measure/sampler.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::measure {

/// What a rank's timer shows after each batch of a block; nothing where the loop has no phases.
class PhaseRows {
 public:
  /// The timer, or null, outlives this.
  PhaseRows(const PhaseTimer* timer, std::size_t batches);

  void keep(std::size_t batch);

  /// Collective where there are phases; on rank 0 adds the block's batches to each phase's rows.
  void collect(const mpi::Communicator& communicator, std::vector<PhaseSamples>& phases) const;

 private:
  const PhaseTimer* timer_;
  std::size_t batches_;
  std::vector<double> elapsed_s_;  // of each batch all phases
};

/// Collective where there are phases: on rank 0 what every rank does in each, as set by now.
void collect_work(const PhaseTimer* timer, const mpi::Communicator& communicator,
                  std::vector<PhaseSamples>& phases);

}  // namespace halocline::measure
