#include "halocline/numerics/vector_kernels.hpp"

#include "halocline/numerics/compat/processor.hpp"

namespace halocline::numerics {

extern const VectorKernels<float> avx512_kernels_float;
extern const VectorKernels<double> avx512_kernels_double;
extern const VectorKernels<float> avx2_kernels_float;
extern const VectorKernels<double> avx2_kernels_double;
extern const VectorKernels<float> portable_kernels_float;
extern const VectorKernels<double> portable_kernels_double;

template <>
const VectorKernels<float>& vector_kernels<float>() {
  static const auto& best =
      *widest(&avx512_kernels_float, &avx2_kernels_float, &portable_kernels_float);
  return best;
}

template <>
const VectorKernels<double>& vector_kernels<double>() {
  static const auto& best =
      *widest(&avx512_kernels_double, &avx2_kernels_double, &portable_kernels_double);
  return best;
}

}  // namespace halocline::numerics
