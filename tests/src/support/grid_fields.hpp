#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "halocline/base/pattern.hpp"
#include "halocline/bundle/field.hpp"
#include "halocline/bundle/redistribution.hpp"
#include "halocline/layout/blocks.hpp"

namespace halocline::test {

using Indices = std::array<layout::Index, layout::max_dimensions>;

/// Calls visit(local, global) for each index of a place of a layout.
template <class Visit>
void for_each_point(const layout::Blocks& blocks, int place, Visit visit) {
  std::array<std::vector<std::array<layout::Index, 2>>, layout::max_dimensions> along;
  const auto at = blocks.parts().place(place);
  for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
    const layout::Cuts& cuts = blocks.cuts(dimension);
    cuts.owned_in(at[dimension], cuts.whole(), [&](const layout::Piece& piece) {
      for (layout::Index step = 0; step < piece.indices.length(); ++step) {
        along[dimension].push_back({piece.local_lower + step, piece.indices.lower + step});
      }
    });
  }
  for (const auto& l : along[3]) {
    for (const auto& k : along[2]) {
      for (const auto& j : along[1]) {
        for (const auto& i : along[0]) {
          visit(Indices{i[0], j[0], k[0], l[0]}, Indices{i[1], j[1], k[1], l[1]});
        }
      }
    }
  }
}

/// How a test keeps its fields in memory.
struct Memory {
  layout::Index ghosts = 0;                                           // around each block
  std::array<std::size_t, layout::max_dimensions> order{0, 1, 2, 3};  // contiguous first
  bundle::NodeMemory* node = nullptr;                                 // else its own
};

/// The fields of a rank on a layout, each point with a value made from its global indices.
class GridFields {
 public:
  GridFields(const layout::Blocks& layout, int rank, std::vector<std::size_t> element_bytes,
             const Memory& memory = {})
      : layout_(layout), rank_(rank), element_bytes_(std::move(element_bytes)) {
    std::size_t offset = 0;
    for (const layout::Part& part : layout.owned(rank)) {
      bundle::Bundle bundle;
      for (const std::size_t bytes : element_bytes_) {
        layout::Box extent = part.local;
        for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
          extent = extent.widened(dimension, memory.ghosts);
        }
        const std::size_t size = static_cast<std::size_t>(extent.volume()) * bytes;
        std::byte* data = nullptr;
        if (memory.node == nullptr) {
          data = own_.emplace_back(size + 1, std::byte{0xEE}).data();
        } else {
          data = memory.node->own().data() + offset;
          offset += (size + 63) / 64 * 64;
        }
        bundle::Field field{
            .data = data, .element_bytes = bytes, .extent = extent, .stride_bytes = {}};
        auto stride = static_cast<std::ptrdiff_t>(bytes);
        for (const std::size_t dimension : memory.order) {
          field.stride_bytes[dimension] = stride;
          stride *= extent.extent(dimension);
        }
        bundle.push_back(field);
      }
      blocks_.push_back(std::move(bundle));
    }
  }

  const bundle::Blocks& blocks() const { return blocks_; }

  void write(std::uint64_t seed) {
    visit([seed](std::byte* at, std::size_t bytes, std::size_t field, const Indices& global) {
      const auto value = value_of(seed, field, global);
      std::memcpy(at, value.data(), bytes);
    });
  }
  void clear() {
    visit([](std::byte* at, std::size_t bytes, std::size_t, const Indices&) {
      std::fill_n(at, bytes, cleared);
    });
  }
  /// Points whose value is not what write() would have written, moved by `shift` of the indices.
  std::size_t wrong(std::uint64_t seed, const Indices& shift = {}) {
    return wrong(seed, shift, layout_.global());
  }
  /// The same where only a region was written, and all other points must be as clear() left them.
  std::size_t wrong(std::uint64_t seed, const Indices& shift, const layout::Box& region) {
    std::size_t count = 0;
    visit([&](std::byte* at, std::size_t bytes, std::size_t field, Indices global) {
      bool inside = true;
      for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
        inside = inside && global[dimension] >= region.lower[dimension] &&
                 global[dimension] < region.upper[dimension];
        global[dimension] -= shift[dimension];
      }
      auto value = value_of(seed, field, global);
      if (!inside) {
        value.fill(cleared);
      }
      count += std::memcmp(at, value.data(), bytes) == 0 ? 0U : 1U;
    });
    return count;
  }

 private:
  static constexpr std::byte cleared{0xDD};

  static std::array<std::byte, 16> value_of(std::uint64_t seed, std::size_t field,
                                            const Indices& global) {
    std::uint64_t place = field;
    for (const layout::Index index : global) {
      place = place * 1009 + static_cast<std::uint64_t>(index + 500);
    }
    const std::array words{pattern_word(seed, place), pattern_word(seed + 77, place)};
    std::array<std::byte, 16> bytes{};
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
  }

  template <class Visit>
  void visit(Visit visit) {
    std::size_t part = 0;
    for (const int place : layout_.places_of(rank_)) {
      const bundle::Bundle& bundle = blocks_[part++];
      for_each_point(layout_, place, [&](const Indices& local, const Indices& global) {
        for (std::size_t field = 0; field < bundle.size(); ++field) {
          layout::Box point;
          for (std::size_t dimension = 0; dimension < layout::max_dimensions; ++dimension) {
            point = point.with(dimension, local[dimension], local[dimension] + 1);
          }
          visit(strided(bundle[field], point).base, bundle[field].element_bytes, field, global);
        }
      });
    }
  }

  layout::Blocks layout_;
  int rank_;
  std::vector<std::size_t> element_bytes_;
  std::vector<std::vector<std::byte>> own_;
  bundle::Blocks blocks_;
};

}  // namespace halocline::test
