#pragma once

namespace halocline::numerics {

/// Whether this processor has AVX2 and fused multiply-add, for which some files are compiled.
#ifdef __x86_64__
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
inline bool has_avx2() { return false; }
#endif

}  // namespace halocline::numerics
