#include "halocline/numerics/multiply_adds.hpp"

#include "halocline/numerics/compat/processor.hpp"

namespace halocline::numerics {

extern const MultiplyAdds multiply_adds_avx512;
extern const MultiplyAdds multiply_adds_avx2;
extern const MultiplyAdds multiply_adds_portable;

const MultiplyAdds& multiply_adds() {
  static const auto& best =
      *widest(&multiply_adds_avx512, &multiply_adds_avx2, &multiply_adds_portable);
  return best;
}

}  // namespace halocline::numerics
