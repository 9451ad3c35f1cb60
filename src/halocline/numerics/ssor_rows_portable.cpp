#include "halocline/numerics/ssor_rows_body.hpp"

namespace halocline::numerics {

struct PortableInstructions;

extern const SsorRows ssor_rows_portable;
const SsorRows ssor_rows_portable = SsorRowsFor<PortableInstructions>::table;

}  // namespace halocline::numerics
