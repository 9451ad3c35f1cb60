#include "halocline/numerics/stencil_rows_body.hpp"

namespace halocline::numerics {

struct Avx512Instructions;

extern const StencilRows stencil_rows_avx512;
const StencilRows stencil_rows_avx512 = StencilRowsFor<Avx512Instructions>::table;

}  // namespace halocline::numerics
