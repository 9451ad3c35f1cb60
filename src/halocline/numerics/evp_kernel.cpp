#include "halocline/numerics/evp_kernel.hpp"

#include "halocline/numerics/compat/processor.hpp"

namespace halocline::numerics {

void solve_evp_avx2(const EvpBatch& batch);
void solve_evp_portable(const EvpBatch& batch);

void solve_evp(const EvpBatch& batch) {
  static const auto best = has_avx2() ? solve_evp_avx2 : solve_evp_portable;
  best(batch);
}

}  // namespace halocline::numerics
