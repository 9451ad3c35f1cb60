#include "halocline/numerics/sphere_sharing.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "halocline/base/error.hpp"

namespace halocline::numerics {
namespace {

constexpr int most_sum_blocks = 16;

bool power_of_two(int number) { return std::has_single_bit(static_cast<unsigned>(number)); }

void require_at_most(int ranks, int allowed, const std::string& along, const std::string& things) {
  if (ranks > allowed) {
    throw Skip(std::to_string(ranks) + " ranks along " + along + " share " +
               std::to_string(allowed) + " " + things + "; allowed: up to " +
               std::to_string(allowed) + "; choose another grid of ranks");
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
  const int ranks = way.along_latitude;
  for (int p = 0; p < way.along_longitude; ++p) {
    const std::vector<int> mine = orders_at(p);
    std::vector<int> sorted;
    std::vector<Block> blocks;
    for (int q = 0; q < ranks; ++q) {
      const auto begin = static_cast<int>(sorted.size());
      for (std::size_t position = 0; position < mine.size(); ++position) {
        // There and back again: high orders have few degrees.
        const int turn = static_cast<int>(position) % (2 * ranks);
        if (way.legendre != LegendreWay::transpose || std::min(turn, 2 * ranks - 1 - turn) == q) {
          sorted.push_back(mine[position]);
        }
      }
      blocks.push_back({.begin = begin, .count = static_cast<int>(sorted.size()) - begin});
      if (way.legendre != LegendreWay::transpose) {
        blocks.assign(static_cast<std::size_t>(ranks), blocks.front());
        break;
      }
    }
    orders_.push_back(std::move(sorted));
    spectral_.push_back(std::move(blocks));
  }
}

void SphereSharing::require_fit() const {
  const int p = way_.along_longitude;
  const int q = way_.along_latitude;
  require_at_most(p, grid_.longitudes, "longitude", "longitudes");
  require_at_most(q, grid_.latitude_pairs, "latitude", "pairs of latitudes");
  if (way_.fourier == FourierWay::transpose) {
    require_at_most(p, groups_, "longitude",
                    "groups of levels (a vector each, the unit of fourier=transpose)");
  } else if (!power_of_two(p) || p > grid_.truncation || grid_.longitudes % p != 0) {
    throw Skip("fourier=distributed on " + std::to_string(p) +
               " ranks along longitude; allowed: powers of two that divide " +
               std::to_string(grid_.longitudes) + " longitudes, up to " +
               std::to_string(grid_.truncation) +
               "; choose another grid of ranks or "
               "fourier=transpose");
  } else if (way_.reproducible && p > 1) {
    throw Skip(
        "fourier=distributed adds in an order that depends on the number of ranks; choose "
        "fourier=transpose or reproducible=no");
  }
  if (way_.legendre == LegendreWay::transpose) {
    require_at_most(q, static_cast<int>(orders_at(p - 1).size()), "latitude", "orders");
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

std::vector<int> SphereSharing::orders_at(int p) const {
  std::vector<int> orders;
  const bool shared = way_.fourier == FourierWay::distributed;
  const auto bits = std::countr_zero(static_cast<unsigned>(way_.along_longitude));
  int residue = 0;  // each halving of a distributed transform parts even frequencies from odd ones
  for (int bit = 0; bit < bits; ++bit) {
    residue |= ((p >> (bits - 1 - bit)) & 1) << bit;
  }
  for (int order = 0; order <= grid_.truncation; ++order) {
    if (!shared || order % way_.along_longitude == residue) {
      orders.push_back(order);
    }
  }
  return orders;
}

Block SphereSharing::pairs(int q) const {
  return block_of(grid_.latitude_pairs, way_.along_latitude, q);
}

Block SphereSharing::longitudes(int p) const {
  return block_of(grid_.longitudes, way_.along_longitude, p);
}

Block SphereSharing::groups(int p) const {
  if (way_.fourier == FourierWay::distributed) {
    return {.begin = 0, .count = groups_};
  }
  return block_of(groups_, way_.along_longitude, p);
}

const std::vector<int>& SphereSharing::fourier_orders(int p) const {
  return orders_[static_cast<std::size_t>(p)];
}

Block SphereSharing::spectral_orders(int p, int q) const {
  return spectral_[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)];
}

int SphereSharing::sum_blocks() const { return std::min(most_sum_blocks, grid_.latitude_pairs); }

}  // namespace halocline::numerics
