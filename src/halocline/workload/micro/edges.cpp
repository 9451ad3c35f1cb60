#include "halocline/workload/micro/edges.hpp"

#include <cstring>

#include "halocline/base/pattern.hpp"

namespace halocline::workload {
namespace {

using layout::Box;
using layout::Index;

layout::Decomposition decomposition_of(const Edges::Shape& shape, std::size_t across) {
  Box global;
  for (std::size_t dimension = 0; dimension < 2; ++dimension) {
    const Index kept = dimension == across ? 2 * shape.width : shape.tile;
    global.upper[dimension] = shape.grid.extent[dimension] * kept;
  }
  return {.global = global, .grid = shape.grid};
}

Box with_ghosts(const Box& owned, std::size_t across, Index width) {
  const Box wider = owned.widened(0, width);
  return across == 0 ? wider : wider.widened(1, width);
}

Index wrapped(Index index, Index extent) { return (index + extent) % extent; }

}  // namespace

Edges::Edges(const Shape& shape, int rank, std::size_t across, Pages pages)
    : shape_(shape),
      rank_(rank),
      across_(across),
      decomposition_(decomposition_of(shape, across)),
      owned_(decomposition_.owned(rank)),
      extent_(with_ghosts(owned_, across, shape.width)),
      memory_(static_cast<std::size_t>(extent_.volume()) * sizeof(Word), pages) {}

route::Route Edges::route() const {
  const route::HaloWidths filled{across_ == 0 ? 0 : shape_.width};
  return route::halo(decomposition_, rank_, across_, shape_.width, filled);
}

bundle::Bundle Edges::bundle() {
  return {{.data = memory_.bytes().data(), .element_bytes = sizeof(Word), .extent = extent_}};
}

template <class Visit>
void Edges::for_each_cell(Visit visit) const {
  std::size_t place_bytes = 0;
  for (Index j = extent_.lower[1]; j < extent_.upper[1]; ++j) {
    for (Index i = extent_.lower[0]; i < extent_.upper[0]; ++i) {
      visit(place_bytes, i, j);
      place_bytes += sizeof(Word);
    }
  }
}

Index Edges::unfolded(Index index, std::size_t dimension) const {
  if (dimension != across_) {
    return index;
  }
  const Index local = index - owned_.lower[dimension];
  const Index left_out = shape_.tile - 2 * shape_.width;
  const Index begin = shape_.grid.place(rank_)[dimension] * shape_.tile;
  return begin + local + (local < shape_.width ? 0 : left_out);
}

Edges::Word Edges::expected(std::uint64_t seed, Index i, Index j) const {
  const Index columns = shape_.grid.extent[0] * shape_.tile;
  const Index rows = shape_.grid.extent[1] * shape_.tile;
  const Index place = wrapped(unfolded(j, 1), rows) * columns + wrapped(unfolded(i, 0), columns);
  return static_cast<Word>(pattern_word(seed, static_cast<std::size_t>(place)));
}

void Edges::write(std::uint64_t seed) {
  const std::span<std::byte> bytes = memory_.bytes();
  for_each_cell([&](std::size_t place_bytes, Index i, Index j) {
    const Box cell{.lower = {i, j, 0, 0}, .upper = {i + 1, j + 1, 1, 1}};
    const Word right = expected(seed, i, j);
    const Word word = owned_.contains(cell) ? right : ~right;
    std::memcpy(bytes.data() + place_bytes, &word, sizeof word);
  });
}

std::optional<std::string> Edges::difference(std::uint64_t seed) const {
  std::optional<std::string> wrong;
  for_each_cell([&](std::size_t place_bytes, Index i, Index j) {
    Word found = 0;
    std::memcpy(&found, memory_.bytes().data() + place_bytes, sizeof found);
    const Word right = expected(seed, i, j);
    if (found != right && !wrong) {
      wrong = "rank " + std::to_string(rank_) + " has the word at (" +
              std::to_string(unfolded(i, 0)) + ", " + std::to_string(unfolded(j, 1)) + ") as " +
              std::to_string(found) + ", expected " + std::to_string(right);
    }
  });
  return wrong;
}

Box Edges::corner(int end, int edge) const {
  const Index width = shape_.width;
  const Index i = end == 0 ? owned_.lower[0] - width : owned_.upper[0];
  const Index j = edge == 0 ? owned_.lower[1] : owned_.upper[1] - width;
  return owned_.with(0, i, i + width).with(1, j, j + width);
}

}  // namespace halocline::workload
