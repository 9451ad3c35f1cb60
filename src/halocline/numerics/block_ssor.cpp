#include "halocline/numerics/block_ssor.hpp"

#include <algorithm>
#include <ranges>

namespace halocline::numerics {
namespace {

using layout::Index;

constexpr double omega = 1.2;

/// Cells of a row, located in the vector and the weights.
struct Row {
  double* x;
  const double* east;
  const double* north;
  const double* north_east;
  const double* north_west;
  std::ptrdiff_t stride;
  std::ptrdiff_t length;
};

/// x = residual minus ω times the contribution of the row to the south.
void take_south(const Row& row, const double* __restrict residual) {
  const auto [x, east, north, north_east, north_west, s, length] = row;
  double* __restrict here = x;
  const double* __restrict south = x - s;
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    here[k] =
        residual[k] - omega * (north[k - s] * south[k] + north_east[k - s - 1] * south[k - 1] +
                               north_west[k - s + 1] * south[k + 1]);
  }
}

/// Same for the row to the north.
void take_north(const Row& row) {
  const auto [x, east, north, north_east, north_west, s, length] = row;
  double* __restrict here = x;
  const double* __restrict above = x + s;
  for (std::ptrdiff_t k = 0; k < length; ++k) {
    here[k] -=
        omega * (north[k] * above[k] + north_east[k] * above[k + 1] + north_west[k] * above[k - 1]);
  }
}

/// For every second cell from `first` on: subtracts ω times the contribution of its row neighbours.
void take_row(const Row& row, std::ptrdiff_t first) {
  for (std::ptrdiff_t k = first; k < row.length; k += 2) {
    row.x[k] -= omega * (row.east[k - 1] * row.x[k - 1] + row.east[k] * row.x[k + 1]);
  }
}

}  // namespace

void BlockSsor::apply(const BlockVector& residual, BlockVector& result) const {
  const BlockFields& fields = a_.fields();
  const auto& [east, north, north_east, north_west] = a_.weights();
  fields.clear_ghosts(result);  // other blocks contribute nothing
  const auto row_of = [&](const Strip& strip, const Run& run) {
    return Row{.x = result.data() + run.at,
               .east = east.data() + run.at,
               .north = north.data() + run.at,
               .north_east = north_east.data() + run.at,
               .north_west = north_west.data() + run.at,
               .stride = strip.row_stride,
               .length = run.length};
  };
  for (const Strip& strip : fields.strips()) {
    for (const Run& run : strip.runs) {
      const Row row = row_of(strip, run);
      take_south(row, residual.data() + run.at);
      take_row(row, 1 - run.column % 2);
    }
  }
  for (const Strip& strip : std::views::reverse(fields.strips())) {
    for (const Run& run : std::views::reverse(strip.runs)) {
      const Row row = row_of(strip, run);
      take_north(row);
      take_row(row, run.column % 2);
    }
  }
}

}  // namespace halocline::numerics
