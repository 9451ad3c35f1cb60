#pragma once

#include <cstddef>
#include <vector>

#include "halocline/bundle/box_pieces.hpp"
#include "halocline/bundle/node_memory.hpp"
#include "halocline/bundle/side.hpp"

namespace halocline::bundle {

/// A piece of a parcel, and where it is packed if other ranks do not see it.
struct ChunkPiece {
  BoxPiece piece;
  std::size_t chunk;
  std::size_t offset_bytes;  // in the chunk
};

/// A parcel in chunks that are packed one after the other.
struct Chunks {
  std::vector<ChunkPiece> pieces;  // in order of the parcel's boxes and of the chunks
  std::size_t count = 1;
  std::size_t largest_bytes = 0;  // packed; 0 where others see all
};

/// Cuts a parcel so that no chunk has more packed bytes than this, unless one element has.
Chunks chunks_of(const Parcel& parcel, const NodeMemory* memory, std::size_t most_bytes);

}  // namespace halocline::bundle
