#include "halocline/numerics/streams.hpp"

#include <cstring>
#include <string_view>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

constexpr bool x86_64 = std::string_view{HALOCLINE_PROCESSOR} == "x86_64";

// Two numbers of one register.
using Pair = double __attribute__((vector_size(streaming_bytes), may_alias));

/// Keeps what was stored from being taken as stored in vain.
void finish_stores() { asm volatile("" ::: "memory"); }

// A template, so that other processors' compilers never read these instructions.
template <bool Known>
void stream(Pair* place, Pair value) {
  if constexpr (Known) {
    asm volatile("movntpd %1, %0" : "=m"(*place) : "x"(value));
  } else {
    throw Error("streaming stores are known for x86_64 only; choose stores=plain");
  }
}

template <bool Known>
void finish_streaming() {
  if constexpr (Known) {
    asm volatile("sfence" ::: "memory");
  }
}

}  // namespace

bool has_streaming_stores() { return x86_64; }

void triad(std::span<double> a, std::span<const double> b, std::span<const double> c,
           double factor) {
  for (std::size_t index = 0; index < a.size(); ++index) {
    a[index] = b[index] + factor * c[index];
  }
  finish_stores();
}

void triad_streaming(std::span<double> a, std::span<const double> b, std::span<const double> c,
                     double factor) {
  auto* const pairs_a = reinterpret_cast<Pair*>(a.data());
  const auto* const pairs_b = reinterpret_cast<const Pair*>(b.data());
  const auto* const pairs_c = reinterpret_cast<const Pair*>(c.data());
  for (std::size_t index = 0; index < a.size_bytes() / streaming_bytes; ++index) {
    stream<x86_64>(pairs_a + index, pairs_b[index] + factor * pairs_c[index]);
  }
  finish_streaming<x86_64>();
}

void copy(std::span<std::byte> target, std::span<const std::byte> source) {
  std::memcpy(target.data(), source.data(), target.size());
  finish_stores();
}

void copy_streaming(std::span<std::byte> target, std::span<const std::byte> source) {
  auto* const targets = reinterpret_cast<Pair*>(target.data());
  const auto* const sources = reinterpret_cast<const Pair*>(source.data());
  for (std::size_t index = 0; index < target.size() / streaming_bytes; ++index) {
    stream<x86_64>(targets + index, sources[index]);
  }
  finish_streaming<x86_64>();
}

}  // namespace halocline::numerics
