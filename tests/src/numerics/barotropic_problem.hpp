#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "halocline/layout/ocean_blocks.hpp"
#include "halocline/numerics/barotropic_solver.hpp"
#include "halocline/numerics/earth.hpp"
#include "halocline/numerics/ocean_depth.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::test {

/// The barotropic system of a grid, with a solution that is known.
class BarotropicProblem {
 public:
  BarotropicProblem(std::string_view grid_name, layout::Distribution distribution,
                    layout::Index block_columns, layout::Index block_rows, Seconds time_step,
                    const mpi::Communicator& world)
      : BarotropicProblem(numerics::DisplacedPoleGrid::named(grid_name),
                          numerics::OceanMask::of_earth(grid_name),
                          numerics::ocean_depth_m(numerics::OceanMask::of_earth(grid_name),
                                                  numerics::DisplacedPoleGrid::named(grid_name)),
                          distribution, block_columns, block_rows, time_step, world) {}

  BarotropicProblem(const numerics::DisplacedPoleGrid& grid, numerics::OceanMask mask,
                    std::span<const float> depth_m, layout::Distribution distribution,
                    layout::Index block_columns, layout::Index block_rows, Seconds time_step,
                    const mpi::Communicator& world)
      : world_(world),
        grid_(grid),
        mask_(std::move(mask)),
        fields_(layout::ocean_blocks(
                    grid_.columns(), grid_.rows(), block_columns, block_rows,
                    [this](const layout::Box& box) { return mask_.count(box); }, distribution,
                    world.size()),
                world.rank(),
                [this](layout::Index i, layout::Index j) { return mask_.ocean(i, j); }),
        a_(grid_, depth_m, time_step, fields_),
        known_(fields_.zeros()),
        right_(fields_.zeros()) {
    each_cell([&](layout::Index i, layout::Index j, std::size_t at) {
      const auto place = grid_.position(static_cast<double>(i), static_cast<double>(j));
      known_[at] = numerics::earth::gravity_m_s2 * std::sin(3 * place.latitude) *
                   std::cos(2 * place.longitude + place.latitude);
    });
    image(known_, right_);
  }

  template <class Visit>
  void each_cell(Visit visit) const {
    for (std::size_t part = 0; part < fields_.parts().size(); ++part) {
      const layout::Box box = fields_.parts()[part].local;
      for (layout::Index j = box.lower[1]; j < box.upper[1]; ++j) {
        for (layout::Index i = box.lower[0]; i < box.upper[0]; ++i) {
          if (mask_.ocean(i, j)) {
            visit(i, j, fields_.at(part, i, j));
          }
        }
      }
    }
  }

  /// A p, by the scaled operator.
  void image(const numerics::BlockVector& p, numerics::BlockVector& result) {
    const auto sum = numerics::GlobalSum::named("flat", world_, 64);
    const auto parts = parts_of(*sum);
    numerics::HaloedVector scaled(parts);
    std::ranges::copy(p, scaled.values().begin());
    a_.multiply_by_root(scaled.values());
    scaled.update();
    a_.apply(scaled.values(), result);
    a_.multiply_by_root(result);
  }

  numerics::SolverParts parts_of(numerics::GlobalSum& sum,
                                 numerics::Summation summation = numerics::Summation::plain) const {
    return {.a = a_,
            .ranks = world_,
            .way = {.protocol = &protocol::find("isend_irecv"), .near = bundle::Near::messages},
            .sum = sum,
            .summation = summation};
  }

  /// A number for the bits of all of a solution, whoever has them. Collective.
  std::uint64_t bits_of(const numerics::BlockVector& p) const {
    std::uint64_t bits = 0;
    each_cell([&](layout::Index i, layout::Index j, std::size_t at) {
      const auto cell = static_cast<std::uint64_t>(j * grid_.columns() + i);
      bits += std::bit_cast<std::uint64_t>(p[at]) * (2 * cell + 1);
    });
    return world_.sum(bits);
  }

  const numerics::DisplacedPoleGrid& grid() const { return grid_; }
  const numerics::OceanMask& mask() const { return mask_; }
  const numerics::BlockFields& fields() const { return fields_; }
  const numerics::BarotropicOperator& a() const { return a_; }
  const numerics::BlockVector& known() const { return known_; }
  const numerics::BlockVector& right() const { return right_; }
  const mpi::Communicator& world() const { return world_; }

 private:
  const mpi::Communicator& world_;
  numerics::DisplacedPoleGrid grid_;
  numerics::OceanMask mask_;
  numerics::BlockFields fields_;
  numerics::BarotropicOperator a_;
  numerics::BlockVector known_;
  numerics::BlockVector right_;
};

inline constexpr Seconds barotropic_step{3600};
inline constexpr std::array barotropic_solvers{"pcg", "chronopoulos_gear", "pcsi", "pipelined",
                                               "gropp"};

/// On the grid of one degree, in blocks that make sums reproducible.
inline BarotropicProblem x1_on(const mpi::Communicator& world) {
  return {"x1", layout::Distribution::space_filling_curve, 40, 48, barotropic_step, world};
}

}  // namespace halocline::test
