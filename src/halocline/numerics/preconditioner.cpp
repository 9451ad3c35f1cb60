#include "halocline/numerics/preconditioner.hpp"

#include <string>

#include "halocline/base/error.hpp"
#include "halocline/numerics/block_evp.hpp"
#include "halocline/numerics/block_ssor.hpp"

namespace halocline::numerics {

std::unique_ptr<Preconditioner> Preconditioner::named(std::string_view name,
                                                      const BarotropicOperator& a) {
  if (name == "diagonal") {
    return nullptr;
  }
  if (name == "block_ssor") {
    return std::make_unique<BlockSsor>(a);
  }
  if (name == "block_evp") {
    return std::make_unique<BlockEvp>(a);
  }
  throw Error("no preconditioner '" + std::string{name} +
              "'; allowed: diagonal, block_ssor, block_evp; choose one of these");
}

}  // namespace halocline::numerics
