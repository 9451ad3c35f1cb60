#pragma once

#include <string>
#include <vector>

#include "halocline/numerics/spectral_grid.hpp"
#include "halocline/protocol/protocol.hpp"

namespace halocline::numerics {

/// How ranks that share longitudes or orders sum over latitudes: each all latitudes of some orders,
/// or each some latitudes of all orders, added up over the ranks.
enum class LegendreWay { transpose, halving, ring, allreduce };

/// How ranks that share longitudes transform along them: each all longitudes of some levels, or
/// each its own longitudes of all levels, by passes between ranks.
enum class FourierWay { transpose, distributed };

/// How transforms are shared among P × Q ranks; rank qP + p has block p of the longitudes and block
/// q of the latitudes.
struct SphereWay {
  int along_longitude = 1;  // P
  int along_latitude = 1;   // Q
  FourierWay fourier = FourierWay::transpose;
  LegendreWay legendre = LegendreWay::transpose;
  /// Sums over latitudes in one order, whatever the number of ranks: the same bits.
  bool reproducible = false;
  const protocol::Protocol* protocol = nullptr;  // of the transposes
};

/// The parts of a transform, for those who time them.
enum class SpherePhase { legendre, fft, grid, transpose, sums, none };

/// From `begin` on, `count` things.
struct Block {
  int begin;
  int count;
};

/// The part `index` of `total` things in `parts` blocks that differ by one at most.
Block block_of(int total, int parts, int index);

/// What each rank has of grid, Fourier coefficients and spectral coefficients. Pure arithmetic.
///
/// Where Fourier transforms are distributed, ranks at p have the frequencies that are
/// frequency_class(p) modulo P, of all levels.
class SphereSharing {
 public:
  /// `groups`: level groups, of which a rank has whole ones. Throws Skip when there are too many
  /// ranks for the way, or the wrong number.
  SphereSharing(const SpectralGrid& grid, int groups, const SphereWay& way);

  int rank(int p, int q) const { return q * way_.along_longitude + p; }

  Block pairs(int q) const;
  Block longitudes(int p) const;
  /// The level groups whose Fourier coefficients ranks at p have.
  Block groups(int p) const;
  /// The orders of these coefficients, all that ranks at p have, in an order in which each rank's
  /// spectral orders lie side by side.
  const std::vector<int>& fourier_orders(int p) const { return orders_of(p).all; }
  /// The block of fourier_orders() whose spectral coefficients a rank has.
  Block spectral_orders(int p, int q) const {
    return orders_of(p).of_rank[static_cast<std::size_t>(q)];
  }
  bool distributed() const {
    return way_.fourier == FourierWay::distributed && way_.along_longitude > 1;
  }
  /// The bits of p, of log₂P, from the last to the first.
  int frequency_class(int p) const;
  /// Pairs of latitudes whose sums are formed first in the reproducible order; a power of two many.
  int sum_blocks() const;

 private:
  struct Orders {
    std::vector<int> all;
    std::vector<Block> of_rank;  // at each q
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
  std::vector<Orders> orders_;  // at each p, or the same for all
};

}  // namespace halocline::numerics
