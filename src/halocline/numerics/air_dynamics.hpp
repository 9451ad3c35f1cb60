#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halocline/numerics/column_physics.hpp"

namespace halocline::numerics {

/// Phases of an atmosphere step. Each kind of dynamics uses some of them.
enum class AtmospherePhase {
  dynamics,
  transposes,  // between decompositions within the dynamics
  remap_out,
  physics,
  remap_back,
  halos,
  transport,
  vertical_remap
};

/// Work of a rank in one phase of a step.
struct AirWork {
  std::int64_t operations = 0;  // floating point
  std::size_t sent_bytes = 0;
};

/// Atmosphere dynamics on a participating rank. They supply the columns' winds; the columns return
/// wind tendencies.
class AirDynamics {
 public:
  AirDynamics() = default;
  virtual ~AirDynamics() = default;
  AirDynamics(const AirDynamics&) = delete;
  AirDynamics& operator=(const AirDynamics&) = delete;

  /// Global indices of this rank's columns, in storage order.
  virtual const std::vector<layout::Index>& columns() const = 0;

  /// Collective over the ranks of the dynamics, as are all calls below.
  virtual void begin() = 0;
  /// One time step. `pushes` holds the first two fields as returned by the physics: wind tendencies
  /// in m/s². `air` receives winds, vorticity, geopotential and surface pressure; dynamics that
  /// transport temperature and tracers update these too.
  virtual void step(const ColumnFields& pushes, const ColumnFields& air) = 0;

  /// Quantities that a step conserves, from `air` as the last step left it: the mass of the air,
  /// then the mass of each tracer that the dynamics transport.
  virtual std::vector<double> kept(const ColumnFields& air) = 0;
  /// Sends values that encode their positions through the dynamics' redistributions and back.
  /// Returns how many arrived changed on this rank. begin() must follow.
  virtual std::int64_t changed_on_the_way(std::uint64_t seed) = 0;

  virtual AirWork work_of(AtmospherePhase phase) const = 0;
  virtual std::size_t off_node_bytes(std::span<const int> node_of_rank) const = 0;
};

}  // namespace halocline::numerics
