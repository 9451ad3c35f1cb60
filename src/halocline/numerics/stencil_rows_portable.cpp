#include "halocline/numerics/stencil_rows_body.hpp"

namespace halocline::numerics {

struct PortableInstructions;

extern const StencilRows stencil_rows_portable;
const StencilRows stencil_rows_portable = StencilRowsFor<PortableInstructions>::table;

}  // namespace halocline::numerics
