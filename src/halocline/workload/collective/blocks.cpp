#include "halocline/workload/collective/blocks.hpp"

#include <algorithm>

#include "halocline/base/pattern.hpp"

namespace halocline::workload {
namespace {

/// Patterns distinguish seeds of 24 bits; these factors keep the seeds of neighbours apart.
std::uint64_t seed_of(const Origin& origin) {
  return origin.seed * 1'000'003U + static_cast<std::uint64_t>(origin.from) * 4093U +
         static_cast<std::uint64_t>(origin.to);
}

}  // namespace

void fill_block(std::span<std::byte> block, const Origin& origin) {
  fill_pattern(block, seed_of(origin));
}

void spoil_block(std::span<std::byte> block, const Origin& origin) {
  fill_block(block, origin);
  std::ranges::transform(block, block.begin(), [](std::byte byte) { return ~byte; });
}

std::optional<std::string> block_difference(std::span<const std::byte> block, const Origin& origin,
                                            int rank) {
  const std::uint64_t seed = seed_of(origin);
  const auto index = first_difference(block, seed);
  if (!index) {
    return std::nullopt;
  }
  return "rank " + std::to_string(rank) + " has byte " + std::to_string(*index) + " of " +
         std::to_string(block.size()) + " from rank " + std::to_string(origin.from) + " as " +
         std::to_string(std::to_integer<int>(block[*index])) + ", expected " +
         std::to_string(std::to_integer<int>(pattern_byte(seed, *index)));
}

}  // namespace halocline::workload
