#pragma once

#include <cstddef>
#include <span>

#include "halocline/base/compat/streaming_store.hpp"

namespace halocline::numerics {

/// Whether this processor's stores past the caches are known to this build.
bool has_streaming_stores();

/// Arrays that streaming stores write begin and end at such a boundary.
using halocline::streaming_bytes;

/// a = b + factor × c, by ordinary stores.
void triad(std::span<double> a, std::span<const double> b, std::span<const double> c,
           double factor);

/// The same by stores past the caches.
void triad_streaming(std::span<double> a, std::span<const double> b, std::span<const double> c,
                     double factor);

/// Copies by the C library, as MPI libraries do.
void copy(std::span<std::byte> target, std::span<const std::byte> source);

/// The same by stores past the caches.
void copy_streaming(std::span<std::byte> target, std::span<const std::byte> source);

}  // namespace halocline::numerics
