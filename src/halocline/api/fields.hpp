#pragma once

#include <cstdint>
#include <optional>

#include "halocline/api/halocline.h"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/mpi/communicator.hpp"

namespace halocline::api {

/// A program's fields, block by block. Throws Error for invalid ones.
bundle::Blocks blocks_of(int blocks, int fields, const halocline_field* field, const char* side);

/// Throws Error unless all blocks of both sides have fields of the same types in the same order.
/// Returns a digest of the types; nothing for a rank without blocks.
std::optional<std::int64_t> types_of(int fields, int source_blocks, const halocline_field* source,
                                     int destination_blocks, const halocline_field* destination);

/// Collective: throws Error on all ranks unless those with blocks have the same types.
void require_same_types(const mpi::Communicator& communicator, std::optional<std::int64_t> types);

/// Throws Error for an unknown packing or protocol. Unset choices take their defaults.
bundle::Way way_of(const halocline_way* way);

/// Whether the program leaves the choice of a way to the library.
bool left_to_library(const halocline_way* way);

/// A way that has a protocol, as the C interface describes it.
halocline_way described(const bundle::Way& way);

}  // namespace halocline::api
