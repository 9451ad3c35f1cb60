#pragma once

#include "halocline/numerics/barotropic_operator.hpp"

namespace halocline::numerics {

/// What is left of b - A p.
struct TrueResidual {
  double norm;     // as Stop::tolerance has it
  double product;  // of p and the residual, relative to the sum of its terms' amounts
};

/// Found with a halo of messages and plain sums of its own, none of a solver's. Collective.
TrueResidual true_residual(const BarotropicOperator& a, const DisplacedPoleGrid& grid,
                           const BlockVector& b, const BlockVector& p,
                           const mpi::Communicator& ranks);

}  // namespace halocline::numerics
