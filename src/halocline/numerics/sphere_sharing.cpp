#include "halocline/numerics/sphere_sharing.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

constexpr int most_sum_blocks = 16;

bool power_of_two(int number) { return std::has_single_bit(static_cast<unsigned>(number)); }

void require_at_most(int ranks, int allowed, const std::string& along, const std::string& things) {
  if (ranks > allowed) {
    throw Skip(std::to_string(ranks) + " ranks along " + along + "; allowed: up to " +
               std::to_string(allowed) + ", the number of " + things +
               "; choose another grid of ranks");
  }
}

}  // namespace

Block block_of(int total, int parts, int index) {
  const auto bound = [total, parts](int part) {
    return static_cast<int>(std::int64_t{total} * part / parts);
  };
  return {.begin = bound(index), .count = bound(index + 1) - bound(index)};
}

SphereSharing::SphereSharing(const SpectralGrid& grid, int groups, const SphereWay& way)
    : grid_(grid), groups_(groups), way_(way) {
  require_fit();
  if (!distributed()) {
    orders_.push_back(deal_orders(0, 1));
    return;
  }
  for (int p = 0; p < way.along_longitude; ++p) {
    orders_.push_back(deal_orders(frequency_class(p), way.along_longitude));
  }
}

/// Every `step`-th order from `first` on.
SphereSharing::Orders SphereSharing::deal_orders(int first, int step) const {
  const int ranks = way_.along_latitude;
  const bool dealt = way_.legendre == LegendreWay::transpose;
  Orders orders;
  for (int q = 0; q < ranks; ++q) {
    const auto begin = static_cast<int>(dealt ? orders.all.size() : 0);
    for (int order = first; order <= grid_.truncation && (dealt || q == 0); order += step) {
      // Alternate direction: high orders have few degrees.
      const int turn = order / step % (2 * ranks);
      if (!dealt || std::min(turn, 2 * ranks - 1 - turn) == q) {
        orders.all.push_back(order);
      }
    }
    orders.of_rank.push_back(
        {.begin = begin, .count = static_cast<int>(orders.all.size()) - begin});
  }
  return orders;
}

int SphereSharing::frequency_class(int p) const {
  int reversed = 0;
  for (int bit = 1; bit < way_.along_longitude; bit *= 2) {
    reversed = 2 * reversed + p / bit % 2;
  }
  return reversed;
}

void SphereSharing::require_fit() const {
  const int p = way_.along_longitude;
  const int q = way_.along_latitude;
  require_at_most(p, grid_.longitudes, "longitude", "longitudes");
  require_at_most(q, grid_.latitude_pairs, "latitude", "pairs of latitudes");
  if (distributed()) {
    require_distributable();
  } else {
    require_at_most(p, groups_, "longitude", "groups of levels (a vector each)");
  }
  if (way_.legendre == LegendreWay::transpose) {
    const int orders = (grid_.truncation + 1) / (distributed() ? p : 1);
    require_at_most(q, orders, "latitude", "orders");
  } else if (way_.legendre == LegendreWay::halving && !power_of_two(q)) {
    throw Skip("legendre=halving on " + std::to_string(q) +
               " ranks along latitude; allowed: powers of two; choose legendre=ring or another "
               "grid of ranks");
  } else if (way_.reproducible && q > 1) {
    if (way_.legendre != LegendreWay::halving) {
      throw Skip(
          "legendre=ring and legendre=allreduce add in an order that depends on the number of "
          "ranks; choose legendre=transpose, legendre=halving or reproducible=no");
    }
    require_at_most(q, sum_blocks(), "latitude", "blocks of the reproducible sum");
  }
}

void SphereSharing::require_distributable() const {
  const int p = way_.along_longitude;
  if (!power_of_two(p) || grid_.longitudes % p != 0) {
    throw Skip("fourier=distributed of " + std::to_string(grid_.longitudes) + " longitudes on " +
               std::to_string(p) +
               " ranks along longitude; allowed: powers of two that divide them; choose "
               "fourier=transpose or another grid of ranks");
  }
  require_at_most(p, grid_.truncation + 1, "longitude", "orders");
  if (way_.reproducible) {
    throw Skip(
        "fourier=distributed rounds differently on each number of ranks along longitude; choose "
        "fourier=transpose or reproducible=no");
  }
}

Block SphereSharing::pairs(int q) const {
  return block_of(grid_.latitude_pairs, way_.along_latitude, q);
}

Block SphereSharing::longitudes(int p) const {
  return block_of(grid_.longitudes, way_.along_longitude, p);
}

Block SphereSharing::groups(int p) const {
  return distributed() ? Block{.begin = 0, .count = groups_}
                       : block_of(groups_, way_.along_longitude, p);
}

int SphereSharing::sum_blocks() const { return std::min(most_sum_blocks, grid_.latitude_pairs); }

}  // namespace halocline::numerics
