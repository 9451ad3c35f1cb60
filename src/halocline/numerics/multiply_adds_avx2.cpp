#include "halocline/numerics/multiply_adds_body.hpp"

namespace halocline::numerics {

struct Avx2Instructions;

extern const MultiplyAdds multiply_adds_avx2;
const MultiplyAdds multiply_adds_avx2 = MultiplyAddsFor<Avx2Instructions, 32>::table;

}  // namespace halocline::numerics
