#pragma once

#include "halocline/numerics/barotropic_operator.hpp"

namespace halocline::numerics {

/// The residual b - A p.
struct TrueResidual {
  double norm;     // as in Stop::tolerance
  double product;  // p · residual, relative to the sum of the magnitudes of its terms
};

/// Uses its own message halo and plain sums, nothing from a solver. Collective.
TrueResidual true_residual(const BarotropicOperator& a, const DisplacedPoleGrid& grid,
                           const BlockVector& b, const BlockVector& p,
                           const mpi::Communicator& ranks);

}  // namespace halocline::numerics
