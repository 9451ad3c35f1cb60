#pragma once

namespace halocline::numerics {

/// Whether this processor has AVX2 and fused multiply-add, or AVX-512 as of x86-64-v4, for which
/// some files are compiled.
#ifdef __x86_64__
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#else
inline bool has_avx2() { return false; }
inline bool has_avx512() { return false; }
#endif

/// What is compiled for the widest instructions that this processor has.
template <class Kernels>
const Kernels* widest(const Kernels* avx512, const Kernels* avx2, const Kernels* portable) {
  return has_avx512() ? avx512 : has_avx2() ? avx2 : portable;
}

}  // namespace halocline::numerics
