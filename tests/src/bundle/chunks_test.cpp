#include "halocline/bundle/chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace halocline::bundle {
namespace {

/// A box without gaps whose dimensions follow each other in memory in some order.
Strided box(std::vector<std::byte>& memory, std::size_t element_bytes,
            const std::array<std::int64_t, Strided::max_dimensions>& count,
            const std::array<std::size_t, Strided::max_dimensions>& order) {
  Strided box{.base = nullptr, .element_bytes = element_bytes, .count = count, .stride_bytes = {}};
  auto stride = static_cast<std::ptrdiff_t>(element_bytes);
  for (const std::size_t dimension : order) {
    box.stride_bytes[dimension] = stride;
    stride *= count[dimension];
  }
  memory.resize(box.size_bytes());
  box.base = memory.data();
  return box;
}

/// How often each byte of memory is in a piece.
void count_bytes(const Strided& piece, std::map<const std::byte*, int>& times) {
  for (std::int64_t l = 0; l < piece.count[3]; ++l) {
    for (std::int64_t k = 0; k < piece.count[2]; ++k) {
      for (std::int64_t j = 0; j < piece.count[1]; ++j) {
        for (std::int64_t i = 0; i < piece.count[0]; ++i) {
          const std::byte* const element = piece.base + i * piece.stride_bytes[0] +
                                           j * piece.stride_bytes[1] + k * piece.stride_bytes[2] +
                                           l * piece.stride_bytes[3];
          for (std::size_t byte = 0; byte < piece.element_bytes; ++byte) {
            ++times[element + byte];
          }
        }
      }
    }
  }
}

TEST(ChunksTest, hold_each_byte_once_and_no_chunk_has_more_than_allowed) {
  std::mt19937 generator(1);
  const auto draw = [&generator](int least, int most) {
    return std::uniform_int_distribution(least, most)(generator);
  };
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::vector<std::byte>> memories(static_cast<std::size_t>(draw(1, 3)));
    Parcel parcel{.peer = 0, .boxes = {}};
    std::size_t largest_element = 0;
    for (std::vector<std::byte>& memory : memories) {
      std::array<std::size_t, Strided::max_dimensions> order{0, 1, 2, 3};
      std::ranges::shuffle(order, generator);
      const std::size_t element_bytes = 1U << static_cast<unsigned>(draw(0, 4));
      largest_element = std::max(largest_element, element_bytes);
      parcel.boxes.push_back(
          box(memory, element_bytes, {draw(0, 6), draw(1, 7), draw(1, 3), draw(1, 4)}, order));
    }
    const auto most_bytes = static_cast<std::size_t>(draw(1, 400));
    const Chunks chunks = chunks_of(parcel, nullptr, most_bytes);
    std::map<const std::byte*, int> times;
    std::vector<std::size_t> filled_bytes(chunks.count);
    std::size_t last_chunk = 0;
    for (const auto& [piece, chunk, offset_bytes] : chunks.pieces) {
      count_bytes(piece.memory, times);
      EXPECT_GE(chunk, last_chunk);
      EXPECT_LE(chunk, last_chunk + 1);
      last_chunk = chunk;
      EXPECT_EQ(offset_bytes, filled_bytes.at(chunk));
      filled_bytes[chunk] += piece.memory.size_bytes();
    }
    EXPECT_EQ(last_chunk + 1, chunks.count);
    EXPECT_EQ(times.size(), parcel.size_bytes());
    for (const auto& [byte, count] : times) {
      EXPECT_EQ(count, 1);
    }
    EXPECT_EQ(chunks.largest_bytes, std::ranges::max(filled_bytes));
    EXPECT_LE(chunks.largest_bytes, std::max(most_bytes, largest_element));
  }
}

TEST(ChunksTest, pieces_know_where_in_their_box_they_are) {
  std::vector<std::byte> memory;
  const Parcel parcel{.peer = 0, .boxes = {box(memory, 4, {5, 3, 2, 1}, {2, 0, 1, 3})}};
  const Chunks chunks = chunks_of(parcel, nullptr, 50);
  EXPECT_GT(chunks.count, 1U);
  for (const ChunkPiece& at : chunks.pieces) {
    EXPECT_FALSE(at.piece.whole);
    EXPECT_EQ(at.piece.memory,
              part_of(parcel.boxes.front(), at.piece.first, at.piece.memory.count));
  }
}

TEST(ChunksTest, a_short_parcel_is_one_chunk_and_its_boxes_are_whole) {
  std::vector<std::byte> memory;
  const Strided whole = box(memory, 8, {4, 4, 1, 1}, {0, 1, 2, 3});
  const Chunks chunks = chunks_of({.peer = 0, .boxes = {whole, whole}}, nullptr, 1000);
  EXPECT_EQ(chunks.count, 1U);
  ASSERT_EQ(chunks.pieces.size(), 2U);
  EXPECT_TRUE(chunks.pieces[0].piece.whole);
  EXPECT_TRUE(chunks.pieces[1].piece.whole);
  EXPECT_EQ(chunks_of({.peer = 0, .boxes = {}}, nullptr, 1000).count, 1U);
}

}  // namespace
}  // namespace halocline::bundle
