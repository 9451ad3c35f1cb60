#include "halocline/numerics/vector_kernels.hpp"

#include "halocline/numerics/compat/processor.hpp"

namespace halocline::numerics {

extern const VectorKernels<float> avx2_kernels_float;
extern const VectorKernels<double> avx2_kernels_double;
extern const VectorKernels<float> portable_kernels_float;
extern const VectorKernels<double> portable_kernels_double;

template <>
const VectorKernels<float>& vector_kernels<float>() {
  return has_avx2() ? avx2_kernels_float : portable_kernels_float;
}

template <>
const VectorKernels<double>& vector_kernels<double>() {
  return has_avx2() ? avx2_kernels_double : portable_kernels_double;
}

}  // namespace halocline::numerics
