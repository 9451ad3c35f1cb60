#include <string>

#include "halocline/base/error.hpp"
#include "halocline/numerics/chebyshev.hpp"
#include "halocline/numerics/conjugate_gradients.hpp"
#include "halocline/numerics/pipelined_gradients.hpp"

namespace halocline::numerics {

std::unique_ptr<BarotropicSolver> BarotropicSolver::named(std::string_view name,
                                                          const SolverParts& parts) {
  if (name == "pcg") {
    return std::make_unique<ConjugateGradients>(parts);
  }
  if (name == "chronopoulos_gear") {
    return std::make_unique<ChronopoulosGear>(parts);
  }
  if (name == "pcsi") {
    return std::make_unique<ChebyshevIteration>(parts);
  }
  if (name == "pipelined") {
    return std::make_unique<PipelinedGradients>(parts);
  }
  if (name == "gropp") {
    return std::make_unique<GroppGradients>(parts);
  }
  throw Error("no barotropic solver '" + std::string{name} +
              "'; allowed: pcg, chronopoulos_gear, pcsi, pipelined, gropp; choose one of these");
}

}  // namespace halocline::numerics
