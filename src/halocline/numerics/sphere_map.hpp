#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halocline/mpi/communicator.hpp"

namespace halocline::numerics {

/// A field on cells of 2° by 2°, each the mean of its points: small enough for a picture, whatever
/// grid and ranks the points come from.
class SphereMap {
 public:
  static constexpr std::int64_t rows = 90;      // from the south pole
  static constexpr std::int64_t columns = 180;  // from 180° W

  /// Adds a point, in radians.
  void add(double latitude, double longitude, double value);
  void add_land(double latitude, double longitude);

  /// Cell values from the points of all ranks, on rank 0; empty elsewhere. Cells with more land
  /// than other points are NaN. Where a coarse grid has no point, a cell takes the nearest value in
  /// its row. Collective.
  std::vector<double> values(const mpi::Communicator& ranks) const;
  /// Same, from this rank's points alone.
  std::vector<double> own_values() const;

 private:
  static constexpr std::size_t cells = static_cast<std::size_t>(rows * columns);

  static std::vector<double> finished(const std::vector<double>& sums);

  std::vector<double> sums_ = std::vector<double>(3 * cells);  // values, points, land
};

}  // namespace halocline::numerics
