#include "halocline/numerics/stencil_rows.hpp"

#include "halocline/numerics/compat/processor.hpp"

namespace halocline::numerics {

extern const StencilRows stencil_rows_avx512;
extern const StencilRows stencil_rows_avx2;
extern const StencilRows stencil_rows_portable;

const StencilRows& stencil_rows() {
  static const auto& best =
      *widest(&stencil_rows_avx512, &stencil_rows_avx2, &stencil_rows_portable);
  return best;
}

}  // namespace halocline::numerics
