#include "halocline/workload/collective/sums.hpp"

#include <algorithm>

#include "halocline/base/pattern.hpp"

namespace halocline::workload {
namespace {

/// Of 20 bits: a million ranks can be added without rounding.
double number_of(std::uint64_t seed, int rank, std::size_t index) {
  const std::uint64_t word =
      pattern_word(seed * 1'000'003U + static_cast<std::uint64_t>(rank), index);
  return static_cast<double>(word >> 44U);
}

}  // namespace

Buffers Sums::buffers(const Task& task) {
  if (task.size_bytes % sizeof(double) != 0) {
    throw Skip("sums are of doubles: " + std::to_string(task.size_bytes) +
               " bytes are no whole number of them; choose a multiple of 8 bytes");
  }
  constexpr std::size_t arrays = 3;
  return alike_on_all_ranks(arrays * task.buffer_bytes(1));
}

Sums::Sums(const Task& task)
    : rank_(task.world.rank()),
      ranks_(task.world.size()),
      own_(task.size_bytes, task.pages),
      part_(task.size_bytes, task.pages),
      sum_(task.size_bytes, task.pages) {}

std::span<double> Sums::numbers_in(Memory& memory) {
  return {reinterpret_cast<double*>(memory.bytes().data()), memory.bytes().size() / sizeof(double)};
}

std::span<const double> Sums::numbers_in(const Memory& memory) {
  return {reinterpret_cast<const double*>(memory.bytes().data()),
          memory.bytes().size() / sizeof(double)};
}

void Sums::write(std::uint64_t seed) {
  const std::span<double> numbers = numbers_in(own_);
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    numbers[index] = number_of(seed, rank_, index);
  }
  std::ranges::fill(part(), -1.0);  // no sum is negative
  std::ranges::fill(sum(), -1.0);
}

std::optional<std::string> Sums::difference(std::uint64_t seed) const {
  const std::span<const double> sums = numbers_in(sum_);
  for (std::size_t index = 0; index < sums.size(); ++index) {
    double expected = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
      expected += number_of(seed, rank, index);
    }
    if (sums[index] != expected) {
      return "rank " + std::to_string(rank_) + " has sum " + std::to_string(index) + " of " +
             std::to_string(sums.size()) + " as " + std::to_string(sums[index]) + ", expected " +
             std::to_string(expected);
    }
  }
  return std::nullopt;
}

}  // namespace halocline::workload
