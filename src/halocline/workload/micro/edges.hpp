#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "halocline/base/memory.hpp"
#include "halocline/bundle/field.hpp"
#include "halocline/layout/decomposition.hpp"
#include "halocline/route/halo.hpp"

namespace halocline::workload {

/// A rank's square tile of a periodic array. Only the edges across one dimension are stored, with
/// their ghost cells.
///
/// Both edges are adjacent, as if the tile were two halo widths long along that dimension: rows of
/// a million words would otherwise need tiles of a million times a million.
class Edges {
 public:
  using Word = std::uint32_t;

  /// The same for all ranks.
  struct Shape {
    layout::RankGrid grid;  // of two dimensions
    layout::Index tile;     // words along each side
    layout::Index width;    // of the halo
  };

  /// Edges across the second dimension also have the ghost cells of the first, to include the
  /// corners.
  Edges(const Shape& shape, int rank, std::size_t across, Pages pages);

  /// This rank's part in filling the ghost cells.
  route::Route route() const;

  /// All edge and ghost cells as one field.
  bundle::Bundle bundle();

  /// Writes this rank's words for the exchange that `seed` selects, and corrupts the others.
  void write(std::uint64_t seed);

  /// The first word that does not match its place in the array.
  std::optional<std::string> difference(std::uint64_t seed) const;

  /// The ghost cells beyond the lower (0) or upper (1) end of the first dimension that lie at the
  /// lower or upper edge of the second.
  layout::Box corner(int end, int edge) const;

 private:
  /// Calls `visit(place in memory, indices)` for each cell.
  template <class Visit>
  void for_each_cell(Visit visit) const;
  /// The index in the whole array of an index in these edges.
  layout::Index unfolded(layout::Index index, std::size_t dimension) const;
  Word expected(std::uint64_t seed, layout::Index i, layout::Index j) const;

  Shape shape_;
  int rank_;
  std::size_t across_;
  layout::Decomposition decomposition_;
  layout::Box owned_;
  layout::Box extent_;
  Memory memory_;
};

}  // namespace halocline::workload
