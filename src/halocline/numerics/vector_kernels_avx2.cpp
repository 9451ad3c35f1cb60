#include "halocline/numerics/vector_kernels_body.hpp"

namespace halocline::numerics {

struct Avx2Instructions {
  static constexpr int vector_bytes = 32;
  static constexpr int tile_rows = 4;
  static constexpr int tile_vectors = 3;
};

extern const VectorKernels<float> avx2_kernels_float;
extern const VectorKernels<double> avx2_kernels_double;
const VectorKernels<float> avx2_kernels_float = KernelsFor<Avx2Instructions, float>::table;
const VectorKernels<double> avx2_kernels_double = KernelsFor<Avx2Instructions, double>::table;

}  // namespace halocline::numerics
