#include "halocline/numerics/ssor_rows.hpp"

#include "halocline/numerics/compat/processor.hpp"

namespace halocline::numerics {

extern const SsorRows ssor_rows_avx512;
extern const SsorRows ssor_rows_avx2;
extern const SsorRows ssor_rows_portable;

const SsorRows& ssor_rows() {
  static const auto& best = *widest(&ssor_rows_avx512, &ssor_rows_avx2, &ssor_rows_portable);
  return best;
}

}  // namespace halocline::numerics
