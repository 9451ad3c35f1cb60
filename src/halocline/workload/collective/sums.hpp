#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "halocline/workload/collective/operation.hpp"
#include "halocline/workload/memory_share.hpp"

namespace halocline::workload {

/// A rank's input to a reduction, and room for the sum over all ranks. Numbers are whole, so that
/// sums are exact in any order.
class Sums {
 public:
  /// Their memory. Throws Skip unless the size is a multiple of 8 bytes.
  static Buffers buffers(const Task& task);
  explicit Sums(const Task& task);

  std::span<const double> own() const { return numbers_in(own_); }
  std::span<double> sum() { return numbers_in(sum_); }
  /// For the sum over the ranks of a node.
  std::span<double> part() { return numbers_in(part_); }

  void write(std::uint64_t seed);
  std::optional<std::string> difference(std::uint64_t seed) const;

 private:
  static std::span<double> numbers_in(Memory& memory);
  static std::span<const double> numbers_in(const Memory& memory);

  int rank_;
  int ranks_;
  Memory own_;
  Memory part_;
  Memory sum_;
};

}  // namespace halocline::workload
