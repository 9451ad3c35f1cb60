#include "halocline/layout/points.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::layout {
namespace {

void require_whole(const Blocks& blocks, std::size_t numbered) {
  if (numbered < 1 || numbered > max_dimensions) {
    throw Error("points numbered over " + std::to_string(numbered) +
                " dimensions; allowed: 1 to 4; name the first dimensions that number them");
  }
  for (std::size_t dimension = numbered; dimension < max_dimensions; ++dimension) {
    if (blocks.cuts(dimension).places() > 1) {
      throw Error("points numbered over " + std::to_string(numbered) +
                  " dimensions of a layout that cuts dimension " + std::to_string(dimension + 1) +
                  " into " + std::to_string(blocks.cuts(dimension).places()) +
                  " parts; allowed: 1; number the points over more dimensions");
    }
  }
}

/// One index of a block along a dimension: its part of the number, and its storage place.
struct Step {
  Index number;
  Index local;
};

std::vector<Step> steps(const Cuts& cuts, int place, Index stride) {
  std::vector<Step> all;
  cuts.owned_in(place, cuts.whole(), [&](const Piece& piece) {
    for (Index offset = 0; offset < piece.indices.length(); ++offset) {
      all.push_back({.number = (piece.indices.lower + offset - cuts.whole().lower) * stride,
                     .local = piece.local_lower + offset});
    }
  });
  return all;
}

/// Whether a number continues a run. Lists may hold any number until a route refuses it: computed
/// without overflow.
bool continues(Index number, Index first, Index length) {
  return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(first) ==
         static_cast<std::uint64_t>(length);
}

std::size_t count_runs(std::span<const Index> numbers) {
  std::size_t runs = numbers.empty() ? 0 : 1;
  for (std::size_t next = 1; next < numbers.size(); ++next) {
    runs += continues(numbers[next], numbers[next - 1], 1) ? 0 : 1;
  }
  return runs;
}

}  // namespace

Points::Points(std::span<const Index> numbers, const Box& each, Index messages_from)
    : messages_from_(messages_from), each_(each.with(0, 0, 1)) {
  rows_.push_back({.position = 0, .first = each_, .part = 0});
  runs_.reserve(count_runs(numbers));
  for (std::size_t position = 0; position < numbers.size(); ++position) {
    add(numbers[position], static_cast<Index>(position), 1);
  }
}

Points Points::of(const Blocks& blocks, int rank, std::size_t numbered) {
  require_whole(blocks, numbered);
  Points points;
  points.each_ = blocks.global().with(0, 0, 1);
  for (std::size_t dimension = 1; dimension < numbered; ++dimension) {
    points.each_ = points.each_.with(dimension, 0, 1);
  }
  int part = 0;
  for (const int place : blocks.places_of(rank)) {
    points.add_block(blocks, place, part++, numbered);
  }
  return points;
}

void Points::add_block(const Blocks& blocks, int place, int part, std::size_t numbered) {
  const RankGrid::Place at = blocks.parts().place(place);
  const Box local = blocks.local(place);
  std::array<std::vector<Step>, max_dimensions> along;
  Index stride = 1;
  for (std::size_t dimension = 1; dimension < max_dimensions; ++dimension) {
    stride *= blocks.cuts(dimension - 1).whole().length();
    along[dimension] = dimension < numbered
                           ? steps(blocks.cuts(dimension), at[dimension], stride)
                           : std::vector<Step>{{.number = 0, .local = local.lower[dimension]}};
  }
  for (const Step& l : along[3]) {
    for (const Step& k : along[2]) {
      for (const Step& j : along[1]) {
        Box first = local.with(0, local.lower[0], local.lower[0] + 1);
        const std::array<Index, max_dimensions> lower{0, j.local, k.local, l.local};
        for (std::size_t dimension = 1; dimension < numbered; ++dimension) {
          first = first.with(dimension, lower[dimension], lower[dimension] + 1);
        }
        const Index position = rows_.empty() ? 0 : end() + 1;
        rows_.push_back({.position = position, .first = first, .part = part});
        const Cuts& fastest = blocks.cuts(0);
        fastest.owned_in(at[0], fastest.whole(), [&](const Piece& piece) {
          add(piece.indices.lower - fastest.whole().lower + j.number + k.number + l.number,
              position + piece.local_lower - local.lower[0], piece.indices.length());
        });
      }
    }
  }
}

void Points::add(Index number, Index position, Index length) {
  if (!runs_.empty() && continues(number, runs_.back().number, runs_.back().length) &&
      end() == position) {
    runs_.back().length += length;
  } else {
    runs_.push_back({.number = number, .position = position, .length = length});
  }
}

Points::Place Points::place(Index position, Index length) const {
  const auto after = std::ranges::upper_bound(rows_, position, {}, &Row::position);
  const Row& row = *(after - 1);
  const Index lower = row.first.lower[0] + (position - row.position);
  return {.box = row.first.with(0, lower, lower + length), .part = row.part};
}

}  // namespace halocline::layout
