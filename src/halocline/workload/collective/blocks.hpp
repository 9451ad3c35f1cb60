#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "halocline/workload/collective/operation.hpp"

namespace halocline::workload {

/// One rank's bytes for another, or for all: unique for this pair and seed.
struct Origin {
  std::uint64_t seed;
  int from;
  int to;  // 0 where all get the same
};

void fill_block(std::span<std::byte> block, const Origin& origin);

/// Corrupts every byte.
void spoil_block(std::span<std::byte> block, const Origin& origin);

/// The first wrong byte, as reported by `rank`.
std::optional<std::string> block_difference(std::span<const std::byte> block, const Origin& origin,
                                            int rank);

/// Block number `number` of a buffer of equal blocks.
template <class Bytes>
std::span<Bytes> block_of(std::span<Bytes> buffer, std::size_t block_bytes, std::size_t number) {
  return buffer.subspan(number * block_bytes, block_bytes);
}

}  // namespace halocline::workload
