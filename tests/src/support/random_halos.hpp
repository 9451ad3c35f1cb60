#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halocline/layout/blocks.hpp"
#include "halocline/route/block_halo.hpp"

namespace halocline::test {

/// A halo drawn at random, and which cell of the grid each ghost cell is, by definition: one index
/// after the other, from the numbers drawn alone.
struct RandomHalo {
  using Cell = std::array<layout::Index, layout::max_dimensions>;

  /// On so many ranks at most. Seeds are counted from 1 on.
  RandomHalo(std::uint64_t seed, int ranks);

  layout::Blocks layout() const;
  /// The first and last indices that an array of a place holds, ghost cells included.
  layout::Box with_ghosts(int place) const;
  /// Whether a place owns a cell.
  bool owns(int place, const Cell& cell) const;
  /// The number of the cell of the grid that a cell of a place's array is, or nothing where the
  /// halo does not fill it.
  std::optional<layout::Index> number(int place, const Cell& cell) const;
  std::string text() const;

  std::uint64_t seed;
  std::size_t dimensions;
  std::array<std::vector<layout::Index>, layout::max_dimensions> points;  // where it is cut
  std::vector<int> owners;  // of the places, the first dimension first; -1 for nobody
  route::Halo halo;

 private:
  Cell part(int place) const;
  std::optional<Cell> meant(int place, const Cell& cell) const;
};

}  // namespace halocline::test
