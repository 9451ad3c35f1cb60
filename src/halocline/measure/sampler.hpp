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
  // A known delay, as a share of each batch's time, that a comparison has to find.
  double delay_share = 0;
  bool name_regions = false;  // a profiler sees what is timed, and its phases
};

/// The profiler's name for the timed batches.
inline constexpr const char* timed_region = "timed";

/// A phase's time in each batch and its work in one iteration; of every rank, timed or not.
struct PhaseSamples {
  std::string name;
  std::vector<std::int64_t> operations;  // one per rank
  std::vector<std::int64_t> memory_bytes;
  std::vector<std::int64_t> sent_bytes;
  std::vector<std::int64_t> resident_bytes;
  std::vector<std::vector<double>> elapsed_s;  // a row per rank, a column per batch
};

/// Raw measurements of one case in one launch; complete on rank 0, empty elsewhere.
struct Samples {
  std::int64_t repeats = 0;                    // traversals in a batch
  std::int64_t iterations = 0;                 // all that ran, including warm-up
  std::size_t block_batches = 0;               // in each block; at least this many are consecutive
  std::vector<int> timed_ranks;                // whose rows these are
  std::vector<std::vector<double>> elapsed_s;  // a row per timed rank, a column per batch
  std::vector<std::uint8_t> preempted;         // 1 where any rank was preempted in the batch
  std::vector<double> late_s;  // how late the last rank began; empty where no moment was agreed
  double late_allowed_s = 0;   // beyond it the batch is not counted
  ClockState clock;            // the maximum of each over the ranks, offsets as absolute values
  std::vector<double> line_s;  // LineProbe before and after; empty where the case has none
  std::vector<PhaseSamples> phases;  // none where an iteration has no parts
};

/// Called on each rank after each batch, outside the timed part.
using Alive = std::function<void()>;

/// Times batches of the loop until the stopping rule is satisfied. Collective.
Samples sample(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
               const Alive& alive);

/// The same, taking turns with other jobs: times a block of about 2 ms whenever `another`, which is
/// collective, returns true. The job may sleep in it. Rank 0 passes it whether the last block
/// counts: half of its batches were undisturbed.
Samples sample_in_turn(TimedLoop& loop, const Budget& budget, const mpi::Communicator& communicator,
                       const Alive& alive, const std::function<bool(bool)>& another);

}  // namespace halocline::measure
