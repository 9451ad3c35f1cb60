#pragma once

#include <cstdint>

#include "halocline/layout/cuts.hpp"

namespace halocline::numerics {

/// Points of a distribution function of charged particles: toroidal modes, as many radial
/// wavenumbers as radii, and velocities, which are pairs of a pitch angle and an energy at points
/// along an orbit.
struct GyroGrid {
  layout::Index modes;
  layout::Index radii;
  layout::Index pitch_angles;
  layout::Index energies;
  layout::Index orbit_points;

  layout::Index pairs() const { return pitch_angles * energies; }
  /// Per pair and mode.
  layout::Index points() const { return orbit_points * radii; }

  /// Wavenumbers are -highest_wave() … highest_wave(), in the order of Fourier transforms. If radii
  /// are even, the middle index has no wavenumber: its coefficients are 0.
  layout::Index highest_wave() const { return (radii - 1) / 2; }
  bool has_wave(layout::Index index) const {
    return index <= highest_wave() || index >= radii - highest_wave();
  }
  layout::Index wave(layout::Index index) const {
    return index <= highest_wave() ? index : index - radii;
  }
  layout::Index index_of(layout::Index wave) const { return wave < 0 ? wave + radii : wave; }

  friend bool operator==(const GyroGrid&, const GyroGrid&) = default;
};

/// How ranks share a GyroGrid: each holds one mode for some pairs. The ranks of a row share the
/// mode, those of a column the pairs. Pairs go round robin to the places in a row.
///
/// A line holds the wavenumbers of a pair and orbit point. All ranks hold equally many pairs, and a
/// number of lines that the modes divide: those beyond the last are padding, and 0.
class GyroSharing {
 public:
  /// `ranks` must be a multiple of the modes.
  GyroSharing(const GyroGrid& grid, int ranks, int rank)
      : grid_(grid),
        row_ranks_(ranks / static_cast<int>(grid.modes)),
        mode_(rank / row_ranks_),
        place_(rank % row_ranks_),
        pairs_((grid.pairs() + row_ranks_ - 1) / row_ranks_),
        lines_each_((pairs_ * grid.orbit_points + grid.modes - 1) / grid.modes),
        points_(layout::Cuts::even({.lower = 0, .upper = grid.points()}, row_ranks_)) {}

  const GyroGrid& grid() const { return grid_; }
  int row_ranks() const { return row_ranks_; }
  int mode() const { return mode_; }
  int place() const { return place_; }

  /// Per rank, with padding.
  layout::Index pairs() const { return pairs_; }
  layout::Index lines() const { return lines_each_ * grid_.modes; }
  /// Per rank, while it holds all modes of them.
  layout::Index lines_each() const { return lines_each_; }
  /// Coefficients per rank, the same for all.
  layout::Index size() const { return lines() * grid_.radii; }

  layout::Index pair_of(layout::Index line) const {
    return line / grid_.orbit_points * row_ranks_ + place_;
  }
  layout::Index orbit_point_of(layout::Index line) const { return line % grid_.orbit_points; }
  bool is_padding(layout::Index line) const {
    return line >= pairs_ * grid_.orbit_points || pair_of(line) >= grid_.pairs();
  }

  /// Orbit points and wavenumbers that a place in a row holds while it has all pairs of them.
  layout::Interval points(int place) const {
    const layout::Index first = points_.first(place);
    return {.lower = first, .upper = first + points_.owned(place)};
  }
  layout::Index all_pairs() const { return pairs_ * row_ranks_; }

 private:
  GyroGrid grid_;
  int row_ranks_;
  int mode_;
  int place_;
  layout::Index pairs_;
  layout::Index lines_each_;
  layout::Cuts points_;
};

}  // namespace halocline::numerics
