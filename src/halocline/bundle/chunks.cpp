#include "halocline/bundle/chunks.hpp"

#include <algorithm>
#include <cstdint>

namespace halocline::bundle {
namespace {

/// Slabs of a piece along one dimension.
BoxPiece slabs(const BoxPiece& piece, std::size_t dimension, std::int64_t begin,
               std::int64_t count) {
  BoxPiece part = piece;
  part.memory.count[dimension] = count;
  part.memory.base += begin * piece.memory.stride_bytes[dimension];
  part.first[dimension] += begin;
  part.whole = piece.whole && count == piece.memory.count[dimension];
  return part;
}

class ChunkCutter {
 public:
  ChunkCutter(std::size_t most_bytes, Chunks& chunks) : most_bytes_(most_bytes), chunks_(chunks) {}

  void add(const BoxPiece& piece) {
    if (piece.offset_bytes || piece.memory.size_bytes() <= most_bytes_ - filled_bytes_) {
      place(piece);
      return;
    }
    const std::size_t dimension = slowest_dimension(piece.memory);
    const std::int64_t count = piece.memory.count[dimension];
    const std::size_t slab_bytes = piece.memory.size_bytes() / static_cast<std::size_t>(count);
    for (std::int64_t begin = 0; begin < count;) {
      const bool divisible = slab_bytes > most_bytes_ && slab_bytes > piece.memory.element_bytes;
      if (filled_bytes_ > 0 && slab_bytes > most_bytes_ - filled_bytes_ && !divisible) {
        ++chunks_.count;
        filled_bytes_ = 0;
      }
      const auto room = static_cast<std::int64_t>((most_bytes_ - filled_bytes_) / slab_bytes);
      const std::int64_t next = std::clamp<std::int64_t>(room, 1, count - begin);
      const BoxPiece part = slabs(piece, dimension, begin, next);
      if (room > 0 || part.memory.size_bytes() == part.memory.element_bytes) {
        place(part);
      } else {
        add(part);
      }
      begin += next;
    }
  }

 private:
  void place(const BoxPiece& piece) {
    chunks_.pieces.push_back(
        {.piece = piece, .chunk = chunks_.count - 1, .offset_bytes = filled_bytes_});
    if (!piece.offset_bytes) {
      filled_bytes_ += piece.memory.size_bytes();
      chunks_.largest_bytes = std::max(chunks_.largest_bytes, filled_bytes_);
      filled_bytes_ = std::min(filled_bytes_, most_bytes_);
    }
  }

  std::size_t most_bytes_;
  Chunks& chunks_;
  std::size_t filled_bytes_ = 0;  // of the last chunk
};

}  // namespace

Chunks chunks_of(const Parcel& parcel, const NodeMemory* memory, std::size_t most_bytes) {
  Chunks chunks;
  ChunkCutter cutter(most_bytes, chunks);
  for (const Strided& box : parcel.boxes) {
    for_each_piece(box, memory, [&](const BoxPiece& piece) { cutter.add(piece); });
  }
  return chunks;
}

}  // namespace halocline::bundle
