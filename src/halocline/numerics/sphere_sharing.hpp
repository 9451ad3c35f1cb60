#pragma once

#include <string>
#include <vector>

#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::numerics {

/// How ranks that share longitudes or orders sum over latitudes: each all latitudes of some orders,
/// or each some latitudes of all orders, followed by a sum over the ranks.
enum class LegendreWay { transpose, halving, ring, allreduce };

/// How ranks that share longitudes transform along them: each all longitudes of some levels, or
/// each its own longitudes of all levels, by passes between ranks.
enum class FourierWay { transpose, distributed };

/// How transforms are shared among P × Q ranks: rank qP + p holds block p of the longitudes and
/// block q of the latitudes.
struct SphereWay {
  int along_longitude = 1;  // P
  int along_latitude = 1;   // Q
  FourierWay fourier = FourierWay::transpose;
  LegendreWay legendre = LegendreWay::transpose;
  /// Sum over latitudes in one order, whatever the number of ranks: the same bits.
  bool reproducible = false;
  const protocol::Protocol* protocol = nullptr;  // for the transposes
};

/// Phases of a transform, for timing.
enum class SpherePhase { legendre, fft, grid, transpose, sums, none };

/// `count` items from `begin` on.
struct Block {
  int begin;
  int count;
};

/// Part `index` of `total` items in `parts` blocks, whose sizes differ by at most one.
Block block_of(int total, int parts, int index);

/// What each rank holds of grid, Fourier coefficients and spectral coefficients. Pure arithmetic.
///
/// With distributed Fourier transforms, ranks at p hold the frequencies that are frequency_class(p)
/// modulo P, for all levels.
class SphereSharing {
 public:
  /// `groups`: level groups, which ranks hold whole. Throws Skip if there are too many ranks for
  /// the way, or the wrong number.
  SphereSharing(const SpectralGrid& grid, int groups, const SphereWay& way);

  int rank(int p, int q) const { return q * way_.along_longitude + p; }

  Block pairs(int q) const;
  Block longitudes(int p) const;
  /// Level groups whose Fourier coefficients ranks at p hold.
  Block groups(int p) const;
  /// All orders of these coefficients at p, arranged so that each rank's spectral orders are
  /// contiguous.
  const std::vector<int>& fourier_orders(int p) const { return orders_of(p).all; }
  /// Block of fourier_orders() whose spectral coefficients a rank holds.
  Block spectral_orders(int p, int q) const {
    return orders_of(p).of_rank[static_cast<std::size_t>(q)];
  }
  bool distributed() const {
    return way_.fourier == FourierWay::distributed && way_.along_longitude > 1;
  }
  /// The log₂P bits of p in reverse.
  int frequency_class(int p) const;
  /// Number of blocks of latitude pairs that the reproducible order sums first; a power of two.
  int sum_blocks() const;

 private:
  struct Orders {
    std::vector<int> all;
    std::vector<Block> of_rank;  // per q
  };

  void require_fit() const;
  void require_distributable() const;
  Orders deal_orders(int first, int step) const;
  const Orders& orders_of(int p) const {
    return orders_[distributed() ? static_cast<std::size_t>(p) : 0];
  }

  const SpectralGrid& grid_;
  int groups_;
  SphereWay way_;
  std::vector<Orders> orders_;  // per p, or one for all
};

}  // namespace halocline::numerics
