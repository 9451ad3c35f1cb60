#pragma once

#include <memory>
#include <optional>

#include "halocline/base/units.hpp"
#include "halocline/mpi/communicator.hpp"
#include "halocline/mpi/shared_window.hpp"

namespace halocline::measure {

/// The current distance between the cores of ranks 0 and 1: the time that a cache line takes from
/// one to the other by plain loads and stores, without the MPI library. On a shared host the
/// hypervisor may move a virtual core away from its neighbour for seconds or minutes. Measurements
/// during that time describe another machine, and the probe shows it.
class LineProbe {
 public:
  /// Collective. Probes nothing in simulation, or where the two ranks are on different nodes.
  explicit LineProbe(const mpi::Communicator& world);

  /// Half the round trip of a line, on rank 0; empty on the others, and where nothing is probed.
  /// Ranks 0 and 1 wait for each other.
  std::optional<Seconds> measure() const;

 private:
  struct Lines;

  mpi::Communicator node_;
  std::unique_ptr<mpi::SharedWindow> window_;
  Lines* lines_ = nullptr;
};

}  // namespace halocline::measure
