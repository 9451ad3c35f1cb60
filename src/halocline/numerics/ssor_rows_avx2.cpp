#include "halocline/numerics/ssor_rows_body.hpp"

namespace halocline::numerics {

struct Avx2Instructions;

extern const SsorRows ssor_rows_avx2;
const SsorRows ssor_rows_avx2 = SsorRowsFor<Avx2Instructions>::table;

}  // namespace halocline::numerics
