#include "halocline/numerics/barotropic_operator.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "halocline/base/error.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/rows.hpp"

namespace halocline::numerics {
namespace {

using layout::Box;
using layout::Index;

/// Transports through a corner, a quarter each: H times the ratio of the sides.
struct Corner {
  double x = 0;
  double y = 0;
};

/// What A is made of around a block. Diagonals reach two cells beyond it, corners three.
class Coefficients {
 public:
  Coefficients(const DisplacedPoleGrid& grid, std::span<const float> depth_m, Seconds time_step,
               const Box& box)
      : grid_(grid),
        depth_m_(depth_m),
        time_step_s_(time_step.count()),
        box_(box.widened(0, 3).widened(1, 3)),
        corners_(static_cast<std::size_t>(box_.volume())),
        areas_m2_(corners_.size()) {
    for (Index j = box_.lower[1]; j < box_.upper[1]; ++j) {
      for (Index i = box_.lower[0]; i < box_.upper[0]; ++i) {
        if (depth(i, j) > 0) {
          corners_[at(i, j)] = corner_of(i, j);
          const Spacing spacing =
              grid_.spacing(static_cast<double>(around(i)), static_cast<double>(j));
          areas_m2_[at(i, j)] = spacing.x_m * spacing.y_m;
        }
      }
    }
  }

  /// North-east of a cell.
  const Corner& corner(Index i, Index j) const { return corners_[at(i, j)]; }
  double area_m2(Index i, Index j) const { return areas_m2_[at(i, j)]; }

  double diagonal(Index i, Index j) const {
    double diagonal = area_m2(i, j) / (2 * BarotropicOperator::alpha * time_step_s_ * time_step_s_ *
                                       earth::gravity_m_s2);
    for (const Index left : {0, 1}) {
      for (const Index down : {0, 1}) {
        const Corner& here = corner(i - left, j - down);
        diagonal += here.x + here.y;
      }
    }
    return diagonal;
  }

  double depth(Index i, Index j) const {
    if (j < 0 || j >= grid_.rows()) {
      return 0;
    }
    return static_cast<double>(depth_m_[static_cast<std::size_t>(j * grid_.columns() + around(i))]);
  }

 private:
  std::size_t at(Index i, Index j) const {
    return static_cast<std::size_t>((j - box_.lower[1]) * box_.extent(0) + i - box_.lower[0]);
  }
  /// Wraps around, so that a cell has the same bits wherever it is computed.
  Index around(Index i) const { return (i % grid_.columns() + grid_.columns()) % grid_.columns(); }
  Corner corner_of(Index i, Index j) const {
    const double shallowest_m =
        std::min({depth(i, j), depth(i + 1, j), depth(i, j + 1), depth(i + 1, j + 1)});
    if (shallowest_m == 0) {
      return {.x = 0, .y = 0};
    }
    const Spacing spacing =
        grid_.spacing(static_cast<double>(around(i)) + 0.5, static_cast<double>(j) + 0.5);
    return {.x = shallowest_m / 4 * spacing.y_m / spacing.x_m,
            .y = shallowest_m / 4 * spacing.x_m / spacing.y_m};
  }

  const DisplacedPoleGrid& grid_;
  std::span<const float> depth_m_;
  double time_step_s_;
  Box box_;
  LargeVector<Corner> corners_;
  LargeVector<double> areas_m2_;
};

}  // namespace

BarotropicOperator::BarotropicOperator(const DisplacedPoleGrid& grid,
                                       std::span<const float> depth_m, Seconds time_step,
                                       const BlockFields& fields)
    : fields_(fields),
      weights_{fields.zeros(), fields.zeros(), fields.zeros(), fields.zeros()},
      root_(fields.zeros()),
      area_m2_(fields.zeros()) {
  if (!(time_step.count() > 0)) {
    throw Error("a time step of " + std::to_string(time_step.count()) +
                " s; allowed: more than 0; choose the model's");
  }
  if (std::ranges::any_of(depth_m, [](float depth) { return !(depth >= 0); })) {
    throw Error(
        "a depth that is NaN or negative; allowed: metres, 0 on land; check the depths of the "
        "grid");
  }
  std::ranges::fill(root_, 1.0);
  for (std::size_t part = 0; part < fields.parts().size(); ++part) {
    const Box box = fields.parts()[part].local;
    const Coefficients a(grid, depth_m, time_step, box);
    const Box ring = box.widened(0, 1).widened(1, 1);
    for (Index j = ring.lower[1]; j < ring.upper[1]; ++j) {
      for (Index i = ring.lower[0]; i < ring.upper[0]; ++i) {
        if (a.depth(i, j) == 0) {
          continue;
        }
        const std::size_t at = fields.at(part, i, j);
        const Corner north_east = a.corner(i, j);
        const Corner north_west = a.corner(i - 1, j);
        const Corner south_east = a.corner(i, j - 1);
        const double own = a.diagonal(i, j);
        const auto scaled = [&](double weight, Index to_i, Index to_j) {
          return weight == 0 ? 0 : -weight / std::sqrt(own * a.diagonal(to_i, to_j));
        };
        root_[at] = std::sqrt(own);
        area_m2_[at] = a.area_m2(i, j);
        weights_.east[at] =
            scaled(north_east.x + south_east.x - north_east.y - south_east.y, i + 1, j);
        weights_.north[at] =
            scaled(north_east.y + north_west.y - north_east.x - north_west.x, i, j + 1);
        weights_.north_east[at] = scaled(north_east.x + north_east.y, i + 1, j + 1);
        weights_.north_west[at] = scaled(north_west.x + north_west.y, i - 1, j + 1);
      }
    }
  }
}

void BarotropicOperator::apply(const BlockVector& x, BlockVector& result, PartialSums* sums) const {
  double* const products = sums == nullptr ? nullptr : sums->columns(0);
  double* const squares = sums == nullptr ? nullptr : sums->columns(1);
  const StencilRows& rows = stencil_rows();
  for_each_run(fields_, sums, [&](const Strip& strip, const Run& run) {
    const StencilRow row = row_of(x.data(), strip, run);
    if (products == nullptr) {
      rows.apply(row, result.data() + run.at);
    } else {
      rows.apply_with_sums(row, result.data() + run.at, products + run.column,
                           squares + run.column);
    }
  });
}

void BarotropicOperator::residual(const BlockVector& right, const BlockVector& x,
                                  BlockVector& result) const {
  const StencilRows& rows = stencil_rows();
  for_each_run(fields_, nullptr, [&](const Strip& strip, const Run& run) {
    rows.residual(row_of(x.data(), strip, run), right.data() + run.at, result.data() + run.at);
  });
}

void BarotropicOperator::squared_norm(const BlockVector& scaled, PartialSums& sums) const {
  for_each_run(fields_, &sums, [&](const Strip& /*strip*/, const Run& run) {
    const double* const vector = scaled.data() + run.at;
    const double* const root = root_.data() + run.at;
    double* const columns = sums.columns(0) + run.column;
    for (Index k = 0; k < run.length; ++k) {
      const double residual = vector[k] * root[k];
      columns[k] += residual * residual;
    }
  });
}

void BarotropicOperator::squared_areas(PartialSums& sums) const {
  for_each_run(fields_, &sums, [&](const Strip& /*strip*/, const Run& run) {
    add_squares(area_m2_.data() + run.at, sums.columns(0) + run.column, run.length);
  });
}

void BarotropicOperator::multiply_by_root(BlockVector& vector) const {
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    for (std::size_t k = run.at; k < run.at + static_cast<std::size_t>(run.length); ++k) {
      vector[k] *= root_[k];
    }
  });
}

void BarotropicOperator::divide_by_root(BlockVector& vector) const {
  for_each_run(fields_, nullptr, [&](const Strip& /*strip*/, const Run& run) {
    for (std::size_t k = run.at; k < run.at + static_cast<std::size_t>(run.length); ++k) {
      vector[k] /= root_[k];
    }
  });
}

}  // namespace halocline::numerics
