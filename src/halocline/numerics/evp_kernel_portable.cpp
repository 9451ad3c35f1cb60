#include "halocline/numerics/evp_kernel_body.hpp"

namespace halocline::numerics {

struct PortableInstructions;

void solve_evp_portable(const EvpBatch& batch);
void solve_evp_portable(const EvpBatch& batch) { EvpKernelFor<PortableInstructions>::solve(batch); }

}  // namespace halocline::numerics
