#include "halocline/numerics/vector_kernels_body.hpp"

namespace halocline::numerics {

struct Avx512Instructions {
  static constexpr int vector_bytes = 64;
  static constexpr int tile_rows = 8;
  static constexpr int tile_vectors = 3;
};

extern const VectorKernels<float> avx512_kernels_float;
extern const VectorKernels<double> avx512_kernels_double;
const VectorKernels<float> avx512_kernels_float = KernelsFor<Avx512Instructions, float>::table;
const VectorKernels<double> avx512_kernels_double = KernelsFor<Avx512Instructions, double>::table;

}  // namespace halocline::numerics
