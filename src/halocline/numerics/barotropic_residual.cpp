#include "halocline/numerics/barotropic_residual.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "halocline/mpi/collectives.hpp"
#include "halocline/numerics/barotropic_solver.hpp"
#include "halocline/protocol/catalogue.hpp"

namespace halocline::numerics {

TrueResidual true_residual(const BarotropicOperator& a, const DisplacedPoleGrid& grid,
                           const BlockVector& b, const BlockVector& p,
                           const mpi::Communicator& ranks) {
  const BlockFields& fields = a.fields();
  const auto unused = GlobalSum::named("flat", ranks, 1);
  const SolverParts parts{
      .a = a,
      .ranks = ranks,
      .way = {.protocol = &protocol::find("isend_irecv"), .near = bundle::Near::messages},
      .sum = *unused};
  HaloedVector x(parts);
  std::ranges::copy(p, x.values().begin());
  a.multiply_by_root(x.values());
  x.update();
  BlockVector image = fields.zeros();
  a.apply(x.values(), image);
  a.multiply_by_root(image);
  double squares = 0;
  double areas = 0;
  double product = 0;
  double amounts = 0;
  for (std::size_t part = 0; part < fields.parts().size(); ++part) {
    const layout::Box& box = fields.parts()[part].local;
    for (layout::Index j = box.lower[1]; j < box.upper[1]; ++j) {
      for (layout::Index i = box.lower[0]; i < box.upper[0]; ++i) {
        if (!fields.ocean(i, j)) {
          continue;
        }
        const std::size_t at = fields.at(part, i, j);
        const double residual = b[at] - image[at];
        const Spacing spacing = grid.spacing(static_cast<double>(i), static_cast<double>(j));
        squares += residual * residual;
        areas += std::pow(spacing.x_m * spacing.y_m, 2);
        product += p[at] * residual;
        amounts += std::abs(p[at] * residual);
      }
    }
  }
  const std::array own{squares, areas, product, amounts};
  std::array<double, own.size()> all{};
  mpi::Collectives(ranks).all_reduce(own, all);
  return {.norm = std::sqrt(all[0] / all[1]), .product = std::abs(all[2]) / all[3]};
}

}  // namespace halocline::numerics
