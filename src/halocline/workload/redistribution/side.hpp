#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "halocline/bundle/redistribution.hpp"
#include "halocline/layout/blocks.hpp"
#include "halocline/workload/redistribution/waves.hpp"

namespace halocline::workload {

inline constexpr std::size_t element_bytes = sizeof(double);
inline constexpr int percent_for_fields = 40;  // of a node's memory: fields and their messages

/// The fields of a rank on one side of a redistribution, their memory and contents.
class Side {
 public:
  /// The rank's block of a layout.
  Side(const layout::Blocks& layout, int rank, std::size_t fields);
  Side(ListedPoints points, std::size_t fields);

  std::size_t bytes() const;
  void lie_in(std::span<std::byte> memory) { memory_ = memory.first(bytes()); }
  bundle::Blocks blocks() const;

  void write(const layout::Box& grid, std::uint64_t seed);
  void spoil();
  /// The first value that differs from what write() writes, in words.
  std::optional<std::string> difference(const layout::Box& grid, std::uint64_t seed) const;

 private:
  std::size_t points() const;
  std::span<double> values(std::size_t field) const;

  std::variant<BlockPoints, ListedPoints> points_;
  layout::Box extent_;
  std::size_t fields_;
  std::span<std::byte> memory_;
};

}  // namespace halocline::workload
