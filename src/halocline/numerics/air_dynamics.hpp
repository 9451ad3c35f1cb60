#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halocline/numerics/column_physics.hpp"

namespace halocline::numerics {

/// The parts of an atmosphere's step. A kind of dynamics has some of them.
enum class AtmospherePhase {
  dynamics,
  transposes,  // between the decompositions of the dynamics themselves
  remap_out,
  physics,
  remap_back,
  halos,
  transport,
  vertical_remap
};

/// What a rank does in a phase of a step.
struct AirWork {
  std::int64_t operations = 0;  // floating point
  std::size_t sent_bytes = 0;
};

/// The dynamics of an atmosphere, on a rank that takes part in them. They give the columns their
/// winds, and the columns push the winds.
class AirDynamics {
 public:
  AirDynamics() = default;
  virtual ~AirDynamics() = default;
  AirDynamics(const AirDynamics&) = delete;
  AirDynamics& operator=(const AirDynamics&) = delete;

  /// Numbers of the columns on this rank, in the order in which it has them.
  virtual const std::vector<layout::Index>& columns() const = 0;

  /// Collective over the ranks of the dynamics, as all below.
  virtual void begin() = 0;
  /// A time step: `pushes` are the first two fields, what physics returned; `air` gets the winds,
  /// the vorticity, the geopotential and the pressure at the ground, and has its temperature and
  /// tracers carried if the dynamics do so.
  virtual void step(const ColumnFields& pushes, const ColumnFields& air) = 0;

  /// What a step keeps of what the last one left in `air`: first the air's mass, then that of each
  /// tracer that the dynamics carry.
  virtual std::vector<double> kept(const ColumnFields& air) = 0;
  /// Numbers that name their places travel between decompositions of the dynamics that only copy
  /// them, and back; returns how many of this rank's arrived changed. begin() must follow.
  virtual std::int64_t changed_on_the_way(std::uint64_t /*seed*/) { return 0; }

  virtual AirWork work_of(AtmospherePhase phase) const = 0;
  virtual std::size_t off_node_bytes(std::span<const int> node_of_rank) const = 0;
};

}  // namespace halocline::numerics
