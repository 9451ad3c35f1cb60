#pragma once

#include <cstddef>
#include <span>

#include "halocline/base/compat/streaming_store.hpp"

namespace halocline::numerics {

/// Whether this build has streaming stores, past the caches, for this processor.
bool has_streaming_stores();

/// Arrays written by streaming stores begin and end at such a boundary.
using halocline::streaming_bytes;

/// a = b + factor × c, with ordinary stores.
void triad(std::span<double> a, std::span<const double> b, std::span<const double> c,
           double factor);

/// Same, with streaming stores.
void triad_streaming(std::span<double> a, std::span<const double> b, std::span<const double> c,
                     double factor);

/// Copies with the C library, as MPI libraries do.
void copy(std::span<std::byte> target, std::span<const std::byte> source);

/// Same, with streaming stores.
void copy_streaming(std::span<std::byte> target, std::span<const std::byte> source);

}  // namespace halocline::numerics
