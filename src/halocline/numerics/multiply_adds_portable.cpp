#include "halocline/numerics/multiply_adds_body.hpp"

namespace halocline::numerics {

struct PortableInstructions;

extern const MultiplyAdds multiply_adds_portable;
const MultiplyAdds multiply_adds_portable = MultiplyAddsFor<PortableInstructions, 16>::table;

}  // namespace halocline::numerics
