#pragma once

#include <ctime>

#include <cstdint>

#include "profiler/format.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace halocline::profiler {

inline std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// The processor's counter, at a third of the cost of clock_gettime.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<std::uint64_t>(now_ns(CLOCK_MONOTONIC));
#endif
}

/// About as many as pass in a second: counters of Arm processors go at 25 MHz to 1 GHz.
inline std::uint64_t ticks_of_second() {
#if defined(__x86_64__)
  return 2'500'000'000U;
#elif defined(__aarch64__)
  std::uint64_t frequency = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency;
#else
  return 1'000'000'000U;
#endif
}

/// Before retrying on a full disk.
inline std::uint64_t patience_ticks() { return ticks_of_second() / 128; }

inline Moment moment() { return {ticks(), now_ns(CLOCK_MONOTONIC), now_ns(CLOCK_REALTIME)}; }

}  // namespace halocline::profiler
