#include "halocline/workload/redistribution/layouts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace halocline::workload {
namespace {

using layout::Blocks;
using layout::Box;
using layout::Cuts;
using layout::Interval;

/// Parts along x and along y.
struct Parts {
  int x;
  int y;
};

struct TableRow {
  int ranks;
  Parts source;
  Parts destination;
};

/// Li 2007, Table 1.
constexpr std::array table1{
    TableRow{4, {4, 1}, {1, 4}},        TableRow{8, {2, 4}, {4, 2}},
    TableRow{16, {2, 8}, {8, 2}},       TableRow{32, {4, 8}, {16, 2}},
    TableRow{64, {4, 16}, {16, 4}},     TableRow{128, {8, 16}, {32, 4}},
    TableRow{256, {16, 16}, {32, 8}},   TableRow{512, {32, 16}, {16, 32}},
    TableRow{1024, {32, 32}, {64, 16}}, TableRow{2048, {32, 64}, {64, 32}},
};

TableRow row_of(int ranks) {
  const auto* const found = std::ranges::find(table1, ranks, &TableRow::ranks);
  if (found != table1.end()) {
    return *found;
  }
  const layout::RankGrid square = layout::near_square(ranks);
  const Parts source{.x = square.extent[1], .y = square.extent[0]};
  if (ranks > table1.back().ranks && source.y % 2 == 0) {
    return {
        .ranks = ranks, .source = source, .destination = {.x = 2 * source.x, .y = source.y / 2}};
  }
  return {.ranks = ranks, .source = {.x = source.y, .y = source.x}, .destination = source};
}

Interval along(const Box& grid, std::size_t dimension) {
  return {.lower = grid.lower[dimension], .upper = grid.upper[dimension]};
}

Blocks even(const Box& grid, Parts parts) {
  return Blocks({Cuts::even(along(grid, 0), parts.x), Cuts::even(along(grid, 1), parts.y),
                 Cuts::even(along(grid, 2), 1)});
}

Blocks cyclic(const Box& grid, Parts parts) {
  constexpr layout::Index block = 16;
  return Blocks({Cuts::cyclic(along(grid, 0), block, parts.x),
                 Cuts::cyclic(along(grid, 1), block, parts.y), Cuts::even(along(grid, 2), 1)});
}

}  // namespace

const ChoiceAxis& grid_axis() {
  static const ChoiceAxis axis{
      .name = "grid",
      .choices = {"512x1024x16", "1024x512x16", "2048x4096x8", "2048x4096x16", "2048x4096x32",
                  "64x128x16", "16x32x4"},
      .defaults = {"512x1024x16"},
      .verified = {"16x32x4"},
  };
  return axis;
}

const ChoiceAxis& layouts_axis() {
  static const ChoiceAxis axis{
      .name = "layouts", .choices = {"table1", "transposed", "cyclic"}, .defaults = {"table1"}};
  return axis;
}

Layouts layouts_of(std::string_view name, const Box& grid, int ranks) {
  if (name == "transposed") {
    return {.source = even(grid, {.x = ranks, .y = 1}),
            .destination = even(grid, {.x = 1, .y = ranks})};
  }
  const TableRow row = row_of(ranks);
  return {.source = even(grid, row.source),
          .destination =
              name == "cyclic" ? cyclic(grid, row.destination) : even(grid, row.destination)};
}

ListedPoints scattered(const Box& grid, End end, int rank, int ranks) {
  // Multiples of a number coprime to the number of points visit each point once; multiples of the
  // golden section and of the root of two are far from each other.
  const double share = end == End::source ? 0.618 : 0.414;
  const layout::Index all = grid.volume();
  auto step = static_cast<layout::Index>(share * static_cast<double>(all));
  while (std::gcd(step, all) != 1) {
    ++step;
  }
  ListedPoints points{.grid = grid, .numbers = {}};
  for (layout::Index at = all * rank / ranks; at < all * (rank + 1) / ranks; ++at) {
    points.numbers.push_back(at * step % all);
  }
  return points;
}

Box grid_of_text(std::string_view text) {
  Box grid;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t dimension = 0; at < end; ++dimension) {
    at = std::from_chars(at, end, grid.upper[dimension]).ptr;
    at += at < end ? 1 : 0;  // the x between two extents
  }
  return grid;
}

}  // namespace halocline::workload
