#include "halocline/numerics/stencil_rows_body.hpp"

namespace halocline::numerics {

struct Avx2Instructions;

extern const StencilRows stencil_rows_avx2;
const StencilRows stencil_rows_avx2 = StencilRowsFor<Avx2Instructions>::table;

}  // namespace halocline::numerics
