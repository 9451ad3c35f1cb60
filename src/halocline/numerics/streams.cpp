#include "halocline/numerics/streams.hpp"

#include <cstring>

#include "halocline/base/compat/streaming_store.hpp"
#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

/// Keeps the compiler from removing stores as dead.
void finish_stores() { asm volatile("" ::: "memory"); }

void require_streaming() {
  if (!halocline::has_streaming_stores) {
    throw Error("streaming stores are implemented for x86_64 only; choose stores=plain");
  }
}

}  // namespace

bool has_streaming_stores() { return halocline::has_streaming_stores; }

void triad(std::span<double> a, std::span<const double> b, std::span<const double> c,
           double factor) {
  for (std::size_t index = 0; index < a.size(); ++index) {
    a[index] = b[index] + factor * c[index];
  }
  finish_stores();
}

void triad_streaming(std::span<double> a, std::span<const double> b, std::span<const double> c,
                     double factor) {
  require_streaming();
  auto* const pairs_a = reinterpret_cast<StreamedPair*>(a.data());
  const auto* const pairs_b = reinterpret_cast<const StreamedPair*>(b.data());
  const auto* const pairs_c = reinterpret_cast<const StreamedPair*>(c.data());
  for (std::size_t index = 0; index < a.size_bytes() / streaming_bytes; ++index) {
    store_streaming(pairs_a + index, pairs_b[index] + factor * pairs_c[index]);
  }
  finish_streaming();
}

void copy(std::span<std::byte> target, std::span<const std::byte> source) {
  std::memcpy(target.data(), source.data(), target.size());
  finish_stores();
}

void copy_streaming(std::span<std::byte> target, std::span<const std::byte> source) {
  require_streaming();
  auto* const targets = reinterpret_cast<StreamedPair*>(target.data());
  const auto* const sources = reinterpret_cast<const StreamedPair*>(source.data());
  for (std::size_t index = 0; index < target.size() / streaming_bytes; ++index) {
    store_streaming(targets + index, sources[index]);
  }
  finish_streaming();
}

}  // namespace halocline::numerics
