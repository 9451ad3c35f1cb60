#include "halocline/numerics/column_shares.hpp"

#include <algorithm>
#include <numeric>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

using layout::Index;

/// Most expensive first; equal costs keep their order.
void sort_by_cost(std::vector<Index>& columns, std::span<const double> costs) {
  std::ranges::stable_sort(columns, [costs](Index one, Index other) {
    return costs[static_cast<std::size_t>(one)] > costs[static_cast<std::size_t>(other)];
  });
}

/// Alternates expensive and cheap columns, from both ends of their order.
std::vector<Index> alternating(std::vector<Index> columns, std::span<const double> costs) {
  sort_by_cost(columns, costs);
  std::vector<Index> mixed;
  mixed.reserve(columns.size());
  for (std::size_t first = 0, last = columns.size(); first < last;) {
    mixed.push_back(columns[first++]);
    if (first < last) {
      mixed.push_back(columns[--last]);
    }
  }
  return mixed;
}

std::vector<Index> twins(const ColumnGrid& grid, Index first, Index end, Index step) {
  std::vector<Index> columns;
  for (Index column = first; column < end; column += step) {
    columns.push_back(column);
    columns.push_back(grid.antipode(column));
  }
  return columns;
}

std::vector<Index> snake(const ColumnGrid& grid, std::span<const double> costs, int rank,
                         int ranks) {
  std::vector<Index> all(static_cast<std::size_t>(grid.count()));
  std::iota(all.begin(), all.end(), Index{0});
  sort_by_cost(all, costs);
  std::vector<Index> own;
  const auto turn = 2 * static_cast<std::size_t>(ranks);
  for (std::size_t begin = 0; begin < all.size(); begin += turn) {
    for (const std::size_t place : {begin + static_cast<std::size_t>(rank),
                                    begin + turn - 1 - static_cast<std::size_t>(rank)}) {
      if (place < all.size()) {
        own.push_back(all[place]);
      }
    }
  }
  return own;
}

}  // namespace

Balance balance_named(std::string_view name) {
  if (name == "none") {
    return Balance::none;
  }
  if (name == "within_process") {
    return Balance::within_process;
  }
  if (name == "twin") {
    return Balance::twin;
  }
  return name == "wrapped" ? Balance::wrapped : Balance::sorted;
}

std::vector<Index> share_of(Balance balance, const ColumnGrid& grid, std::span<const double> costs,
                            std::span<const Index> home, int rank, int ranks) {
  const Index pairs = grid.count() / 2;  // northern half, each with its antipode
  std::vector<Index> own;
  switch (balance) {
    case Balance::none:
      return {home.begin(), home.end()};
    case Balance::within_process:
      return alternating({home.begin(), home.end()}, costs);
    case Balance::twin:
      own = twins(grid, pairs * rank / ranks, pairs * (rank + 1) / ranks, 1);
      break;
    case Balance::wrapped:
      own = twins(grid, rank, pairs, ranks);
      break;
    case Balance::sorted:
      own = snake(grid, costs, rank, ranks);
      break;
  }
  std::ranges::sort(own);  // keeps grid neighbours together in memory
  return own;
}

double cost_of(std::span<const Index> columns, std::span<const double> costs) {
  double cost = 0;
  for (const Index column : columns) {
    cost += costs[static_cast<std::size_t>(column)];
  }
  return cost;
}

}  // namespace halocline::numerics
