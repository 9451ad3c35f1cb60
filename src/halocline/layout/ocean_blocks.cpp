#include "halocline/layout/ocean_blocks.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "halocline/base/error.hpp"

namespace halocline::layout {
namespace {

using Works = std::vector<std::int64_t>;  // of each place

Cuts every(Index step, Index length) {
  std::vector<Index> points;
  for (Index at = 0; at < length; at += step) {
    points.push_back(at);
  }
  points.push_back(length);
  return Cuts::at(std::move(points));
}

/// The grid of ranks whose rectangles of blocks come closest to squares of cells, among those with
/// `asked_along_y` ranks along y unless that is 0.
RankGrid cartesian_ranks(const RankGrid& blocks, const Box& block, int ranks, int asked_along_y) {
  RankGrid best{{0, 0, 1, 1}};
  double best_ratio = 0;
  for (int along_x = 1; along_x <= ranks; ++along_x) {
    const int along_y = ranks / along_x;
    if (ranks % along_x != 0 || along_x > blocks.extent[0] || along_y > blocks.extent[1] ||
        (asked_along_y != 0 && along_y != asked_along_y)) {
      continue;
    }
    const double x = static_cast<double>(blocks.extent[0] * block.extent(0)) / along_x;
    const double y = static_cast<double>(blocks.extent[1] * block.extent(1)) * along_x / ranks;
    if (const double ratio = std::min(x / y, y / x); ratio > best_ratio) {
      best = {{along_x, along_y, 1, 1}};
      best_ratio = ratio;
    }
  }
  if (best_ratio == 0 && asked_along_y != 0) {
    throw Error(std::to_string(ranks) + " ranks in rectangles, " + std::to_string(asked_along_y) +
                " along y, over " + std::to_string(blocks.extent[0]) + " x " +
                std::to_string(blocks.extent[1]) +
                " blocks; allowed: two factors of the ranks no larger than these; choose smaller "
                "blocks or another grid_y");
  }
  if (best_ratio == 0) {
    throw Error(std::to_string(ranks) + " ranks in rectangles over " +
                std::to_string(blocks.extent[0]) + " x " + std::to_string(blocks.extent[1]) +
                " blocks; allowed: a number of ranks with two factors no larger than these; choose "
                "smaller blocks, other ranks or distribution=curve");
  }
  return best;
}

std::vector<int> in_rectangles(const RankGrid& blocks, const RankGrid& ranks) {
  const Cuts columns = Cuts::even({.lower = 0, .upper = blocks.extent[0]}, ranks.extent[0]);
  const Cuts rows = Cuts::even({.lower = 0, .upper = blocks.extent[1]}, ranks.extent[1]);
  std::vector<int> owners(static_cast<std::size_t>(blocks.size()));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const RankGrid::Place place = ranks.place(rank);
    for (Index y = rows.first(place[1]); y < rows.first(place[1]) + rows.owned(place[1]); ++y) {
      for (Index x = columns.first(place[0]); x < columns.first(place[0]) + columns.owned(place[0]);
           ++x) {
        owners[static_cast<std::size_t>(y * blocks.extent[0] + x)] = rank;
      }
    }
  }
  return owners;
}

/// Moves blocks along a line of ranks, as leaves are raked: each keeps at most its share and passes
/// on those nearest to the next.
void rake_along(const std::vector<int>& line, std::size_t dimension, bool upwards,
                const RankGrid& blocks, const Works& works, std::vector<int>& owners) {
  std::int64_t all = 0;
  std::vector<std::vector<std::size_t>> places(line.size());
  for (std::size_t place = 0; place < owners.size(); ++place) {
    const auto found = std::ranges::find(line, owners[place]);
    if (found != line.end() && works[place] > 0) {
      places[static_cast<std::size_t>(found - line.begin())].push_back(place);
      all += works[place];
    }
  }
  const std::int64_t share = all / static_cast<std::int64_t>(line.size());
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    std::ranges::stable_sort(places[at], {}, [&](std::size_t place) {
      const int along = blocks.place(static_cast<int>(place))[dimension];
      return upwards ? along : -along;
    });
    std::int64_t load = 0;
    for (const std::size_t place : places[at]) {
      load += works[place];
    }
    while (places[at].size() > 1) {
      const std::size_t last = places[at].back();
      if (load - works[last] / 2 <= share) {
        break;
      }
      load -= works[last];
      owners[last] = line[at + 1];
      places[at + 1].push_back(last);
      places[at].pop_back();
    }
  }
}

void rake(const RankGrid& blocks, const RankGrid& ranks, const Works& works,
          std::vector<int>& owners) {
  for (const std::size_t dimension : {std::size_t{1}, std::size_t{0}}) {
    for (int other = 0; other < ranks.extent[1 - dimension]; ++other) {
      std::vector<int> line;
      for (int along = 0; along < ranks.extent[dimension]; ++along) {
        RankGrid::Place place{};
        place[dimension] = along;
        place[1 - dimension] = other;
        line.push_back(ranks.rank(place));
      }
      rake_along(line, dimension, true, blocks, works, owners);
      std::ranges::reverse(line);
      rake_along(line, dimension, false, blocks, works, owners);
    }
  }
}

/// The step of Hilbert's curve, on a square of `side` (a power of 2), at which it visits (x, y).
std::int64_t hilbert_step(std::int64_t side, std::int64_t x, std::int64_t y) {
  std::int64_t step = 0;
  for (std::int64_t half = side / 2; half > 0; half /= 2) {
    const std::int64_t right = x / half % 2;
    const std::int64_t upper = y / half % 2;
    step += half * half * (right == 0 ? upper : 3 - upper);
    if (upper == 0) {
      if (right == 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      std::swap(x, y);
    }
  }
  return step;
}

std::vector<int> along_curve(const RankGrid& blocks, const Works& works, int ranks) {
  std::vector<std::size_t> order;
  std::vector<std::int64_t> steps(works.size());
  const auto side = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<unsigned>(std::max(blocks.extent[0], blocks.extent[1]))));
  for (std::size_t place = 0; place < works.size(); ++place) {
    const RankGrid::Place at = blocks.place(static_cast<int>(place));
    steps[place] = hilbert_step(side, at[0], at[1]);
    if (works[place] > 0) {
      order.push_back(place);
    }
  }
  std::ranges::sort(order, {}, [&](std::size_t place) { return steps[place]; });
  std::vector<int> owners(works.size(), nobody);
  std::int64_t left = std::reduce(works.begin(), works.end(), std::int64_t{0});
  std::size_t next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto others = static_cast<std::size_t>(ranks - 1 - rank);
    const std::int64_t share = left / (ranks - rank);
    std::int64_t load = 0;
    while (next + others < order.size()) {
      const std::int64_t work = works[order[next]];
      if (load > 0 && others > 0 && load + work / 2 > share) {
        break;
      }
      owners[order[next]] = rank;
      load += work;
      ++next;
    }
    left -= load;
  }
  return owners;
}

}  // namespace

Distribution distribution_named(std::string_view name) {
  if (name == "cartesian") {
    return Distribution::cartesian;
  }
  if (name == "rake") {
    return Distribution::rake;
  }
  if (name == "curve") {
    return Distribution::space_filling_curve;
  }
  throw Error("no distribution '" + std::string{name} +
              "'; allowed: cartesian, rake, curve; choose one of these");
}

Blocks ocean_blocks(Index columns, Index rows, Index block_columns, Index block_rows,
                    const std::function<std::int64_t(const Box&)>& work, Distribution distribution,
                    int ranks, int ranks_along_y) {
  if (columns < 1 || rows < 1 || block_columns < 1 || block_rows < 1 || ranks < 1) {
    throw Error("a grid of " + std::to_string(columns) + " x " + std::to_string(rows) +
                " cells in blocks of " + std::to_string(block_columns) + " x " +
                std::to_string(block_rows) + " for " + std::to_string(ranks) +
                " ranks; allowed: 1 or more of each; check the sizes");
  }
  const Blocks all({every(block_columns, columns), every(block_rows, rows)});
  Works works;
  for (int place = 0; place < all.places(); ++place) {
    works.push_back(work(all.local(place)));
  }
  const auto with_work = std::ranges::count_if(works, [](std::int64_t each) { return each > 0; });
  if (with_work == 0) {
    throw Error("a grid of " + std::to_string(columns) + " x " + std::to_string(rows) +
                " cells without ocean; allowed: at least one ocean cell; check the mask");
  }
  if (with_work < ranks) {
    throw Error(std::to_string(ranks) + " ranks for " + std::to_string(with_work) +
                " blocks with ocean, of " + std::to_string(block_columns) + " x " +
                std::to_string(block_rows) +
                " cells; allowed: up to one rank for each; choose fewer ranks or smaller blocks");
  }
  if (distribution == Distribution::space_filling_curve) {
    return all.owned_by(along_curve(all.parts(), works, ranks));
  }
  const RankGrid grid = cartesian_ranks(all.parts(), all.local(0), ranks, ranks_along_y);
  std::vector<int> owners = in_rectangles(all.parts(), grid);
  if (distribution == Distribution::rake) {
    rake(all.parts(), grid, works, owners);
  }
  for (std::size_t place = 0; place < owners.size(); ++place) {
    owners[place] = works[place] > 0 ? owners[place] : nobody;
  }
  return all.owned_by(std::move(owners));
}

std::vector<std::int64_t> work_of_ranks(const Blocks& blocks,
                                        const std::function<std::int64_t(const Box&)>& work) {
  std::vector<std::int64_t> works(static_cast<std::size_t>(blocks.ranks()));
  for (int place = 0; place < blocks.places(); ++place) {
    if (blocks.owner(place) != nobody) {
      works[static_cast<std::size_t>(blocks.owner(place))] += work(blocks.local(place));
    }
  }
  return works;
}

}  // namespace halocline::layout
