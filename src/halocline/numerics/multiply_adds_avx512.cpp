#include "halocline/numerics/multiply_adds_body.hpp"

namespace halocline::numerics {

struct Avx512Instructions;

extern const MultiplyAdds multiply_adds_avx512;
const MultiplyAdds multiply_adds_avx512 = MultiplyAddsFor<Avx512Instructions, 64>::table;

}  // namespace halocline::numerics
