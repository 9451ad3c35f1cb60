#include "halocline/numerics/vector_kernels_body.hpp"

namespace halocline::numerics {

struct PortableInstructions {
  static constexpr int vector_bytes = 16;
  static constexpr int tile_rows = 4;
  static constexpr int tile_vectors = 3;
};

extern const VectorKernels<float> portable_kernels_float;
extern const VectorKernels<double> portable_kernels_double;
const VectorKernels<float> portable_kernels_float = KernelsFor<PortableInstructions, float>::table;
const VectorKernels<double> portable_kernels_double =
    KernelsFor<PortableInstructions, double>::table;

}  // namespace halocline::numerics
