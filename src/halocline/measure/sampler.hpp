#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "halocline/base/units.hpp"
#include "halocline/measure/timed_loop.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::measure {

struct Budget {
  double half_width_relative = 0.005;  // stop when the median is known this well
  Seconds longest{0.04};               // stop anyway
  // Not between hosts of one machine: there the network's own work takes the ranks' cores.
  bool preemption_spoils = true;
  // A known delay, as a share of each batch's time: what a comparison has to find.
  double delay_share = 0;
  bool name_regions = false;  // a profiler knows what is timed, and its phases
};

/// What a profiler knows the timed batches as.
inline constexpr const char* timed_region = "timed";

/// What a phase took in each batch and what it does in one iteration; of every rank, timed or not.
struct PhaseSamples {
  std::string name;
  std::vector<std::int64_t> operations;  // a rank each
  std::vector<std::int64_t> memory_bytes;
  std::vector<std::int64_t> sent_bytes;
  std::vector<std::vector<double>> elapsed_s;  // a row a rank, a column a batch
};

/// Raw measurements of one case in one launch; complete on rank 0, empty elsewhere.
struct Samples {
  std::int64_t repeats = 0;                    // traversals in a batch
  std::int64_t iterations = 0;                 // all that were run, warm-up included
  std::size_t block_batches = 0;               // in each block; as many follow each other at least
  std::vector<int> timed_ranks;                // whose rows these are
  std::vector<std::vector<double>> elapsed_s;  // a row a timed rank, a column a batch
  std::vector<std::uint8_t> preempted;         // 1 where any rank lost its processor in the batch
  std::vector<double> late_s;  // how late the last rank began; empty where no moment was agreed
  double late_allowed_s = 0;   // beyond it the batch is not counted
  ClockState clock;            // the largest of each over the ranks, offsets without their sign
  std::vector<double> line_s;  // LineProbe before and after; empty where the case has none
  std::vector<PhaseSamples> phases;  // none where an iteration has no parts
};

/// Called on each rank after each batch, outside of what is timed.
using Alive = std::function<void()>;

/// Times batches of the loop until the stopping rule is satisfied. Collective.
Samples sample(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
               const Alive& alive);

/// The same in turn with other jobs: times a block of about 2 ms whenever `another`, which is
/// collective, returns true. The job may have slept in it. Rank 0 passes it whether the last block
/// counts: half of its batches were undisturbed.
Samples sample_in_turn(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
                       const Alive& alive, const std::function<bool(bool)>& another);

}  // namespace halocline::measure
