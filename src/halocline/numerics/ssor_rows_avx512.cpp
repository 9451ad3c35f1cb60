#include "halocline/numerics/ssor_rows_body.hpp"

namespace halocline::numerics {

struct Avx512Instructions;

extern const SsorRows ssor_rows_avx512;
const SsorRows ssor_rows_avx512 = SsorRowsFor<Avx512Instructions>::table;

}  // namespace halocline::numerics
