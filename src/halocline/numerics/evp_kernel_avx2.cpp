#include "halocline/numerics/evp_kernel_body.hpp"

namespace halocline::numerics {

struct Avx2Instructions;

void solve_evp_avx2(const EvpBatch& batch);
void solve_evp_avx2(const EvpBatch& batch) { EvpKernelFor<Avx2Instructions>::solve(batch); }

}  // namespace halocline::numerics
