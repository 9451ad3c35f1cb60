#include "halocline/numerics/ocean_depth.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double shelf_m = 60;
constexpr double below_shelf_m = 5440;
constexpr double shelf_width_m = 350e3;

/// Shortest way from land, built cell by cell from the rows and columns already swept.
class CoastDistance {
 public:
  CoastDistance(const OceanMask& mask, const DisplacedPoleGrid& grid)
      : columns_(mask.columns()), rows_(mask.rows()) {
    distance_m_.resize(static_cast<std::size_t>(columns_ * rows_));
    for (Index j = 0; j < rows_; ++j) {
      for (Index i = 0; i < columns_; ++i) {
        at(i, j) = mask.ocean(i, j) ? 1e8F : 0;
      }
    }
    // Spacings change slowly from cell to cell: every eighth column is enough.
    const Index samples = (columns_ + 7) / 8;
    sampled_.resize(static_cast<std::size_t>(samples * rows_));
    for (Index j = 0; j < rows_; ++j) {
      for (Index sample = 0; sample < samples; ++sample) {
        const Spacing spacing =
            grid.spacing(static_cast<double>(8 * sample), static_cast<double>(j));
        sampled_[static_cast<std::size_t>(j * samples + sample)] = {
            static_cast<float>(spacing.x_m), static_cast<float>(spacing.y_m),
            static_cast<float>(std::hypot(spacing.x_m, spacing.y_m))};
      }
    }
  }

  void sweep_north() {
    for (Index j = 0; j < rows_; ++j) {
      sweep_row(j, -1);
    }
  }
  void sweep_south() {
    for (Index j = rows_; j-- > 0;) {
      sweep_row(j, 1);
    }
  }
  LargeVector<float>& result() { return distance_m_; }

 private:
  struct Steps {
    float x;
    float y;
    float diagonal;
  };

  float& at(Index i, Index j) { return distance_m_[static_cast<std::size_t>(j * columns_ + i)]; }
  const Steps& steps(Index i, Index j) const {
    return sampled_[static_cast<std::size_t>(j * ((columns_ + 7) / 8) + i / 8)];
  }

  /// From the row behind, then along the ring, twice each way to close it.
  void sweep_row(Index j, Index behind) {
    const Index from = j + behind;
    if (from < 0 || from >= rows_) {
      for (Index i = 0; i < columns_; ++i) {  // beyond the edge is land
        at(i, j) = std::min(at(i, j), steps(i, j).y);
      }
    } else {
      for (Index i = 0; i < columns_; ++i) {
        const Steps& step = steps(i, j);
        const Index west = i == 0 ? columns_ - 1 : i - 1;
        const Index east = i + 1 == columns_ ? 0 : i + 1;
        at(i, j) = std::min({at(i, j), at(i, from) + step.y, at(west, from) + step.diagonal,
                             at(east, from) + step.diagonal});
      }
    }
    float carried = at(columns_ - 1, j);
    for (int round = 0; round < 2; ++round) {
      for (Index i = 0; i < columns_; ++i) {
        carried = at(i, j) = std::min(at(i, j), carried + steps(i, j).x);
      }
    }
    for (int round = 0; round < 2; ++round) {
      for (Index i = columns_; i-- > 0;) {
        carried = at(i, j) = std::min(at(i, j), carried + steps(i, j).x);
      }
    }
  }

  Index columns_;
  Index rows_;
  LargeVector<float> distance_m_;
  std::vector<Steps> sampled_;
};

}  // namespace

LargeVector<float> ocean_depth_m(const OceanMask& mask, const DisplacedPoleGrid& grid) {
  if (mask.columns() != grid.columns() || mask.rows() != grid.rows()) {
    throw Error("a mask of " + std::to_string(mask.columns()) + " x " +
                std::to_string(mask.rows()) + " cells on a grid of " +
                std::to_string(grid.columns()) + " x " + std::to_string(grid.rows()) +
                "; allowed: one as large as the grid; choose the mask of this grid");
  }
  CoastDistance coast(mask, grid);
  for (int round = 0; round < 2; ++round) {
    coast.sweep_north();
    coast.sweep_south();
  }
  LargeVector<float> depth_m = std::move(coast.result());
  for (float& cell : depth_m) {
    cell =
        cell == 0
            ? 0
            : static_cast<float>(shelf_m + below_shelf_m * (1 - std::exp(-cell / shelf_width_m)));
  }
  return depth_m;
}

}  // namespace halocline::numerics
